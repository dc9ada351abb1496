import os

print(os.environ.get("GREETING", "good day") + ", reader")
