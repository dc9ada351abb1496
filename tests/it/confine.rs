//! [GATE-70] [GATE-71] [GATE-72] What holds whatever a line says: what grants let programs reach, what receipts,
//! cards and `doctor` say of it.

mod doctor;
mod escalation;
mod grants;
