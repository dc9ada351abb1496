//! Writes the generated code and the golden descriptor set into the tree: `cargo run -p tollgate-codegen`.

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let generated = tollgate_codegen::generate(&root)?;
    for (name, text) in &generated.sources {
        std::fs::write(root.join("src/generated").join(name), text)?;
    }
    std::fs::write(root.join("golden/descriptors.binpb"), &generated.descriptors)?;
    Ok(())
}
