"""Sentences about what programs do, out of published packages: one list of texts, no two the same, in an order of its own.

| input | what is taken |
|---|---|
| `*.txt` | every line (package synopses) |
| a wheel of botocore | what each operation of each service does |
| a wheel of google-api-python-client | what each method of each service does, and what its arguments are |
| a `.tgz` with OpenAPI descriptions | summary and description of each operation |
| any other wheel | the first sentence of each docstring |
"""
import hashlib, html, json, re, tarfile, zipfile

LENGTH = range(16, 181)
# What is said about packaging says nothing about what the software does.
PACKAGING = re.compile(
    r"\s*[-–(;:,]+\s*(Rust source code|documentation.*|profiling librar.*|development (files|headers).*|debug.*|shared librar.*"
    r"|runtime.*|library|headers|common files.*|data files.*|python ?3?.*|static.*|examples?|transitional.*|dummy.*|metapackage"
    r"|java.*|tools|utilities|plugins?|doc|dev|.*bindings.*|.*modules?)\)?$", re.I)
DOCSTRING = re.compile(r'def \w+\((?:[^"]|"(?!""))*?:\s*r?"""(.*?)"""', re.S)


def first(text):
    """The first sentence of a text, as plain words."""
    text = re.sub(r"<[^>]+>", " ", html.unescape(text or ""))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # Markdown links
    text = re.sub(r":\w+:`~?\.?([^`]*)`", r"\1", text)  # Sphinx roles
    text = re.split(r"\n\s*\n|\n\s*:\w+", text.strip())[0]
    text = re.sub(r"[`*|]", "", re.sub(r"\s+", " ", text)).strip()
    return re.split(r"(?<=[a-z)][.!?])\s", text)[0]


def lines(path):
    return [PACKAGING.sub("", it.strip()) for it in open(path, errors="replace")]


def botocore(wheel):
    for name in sorted(it for it in wheel.namelist() if re.search(r"/service-2\.json(\.gz)?$", it)):
        data = wheel.read(name)
        if name.endswith(".gz"):
            import gzip
            data = gzip.decompress(data)
        for operation in json.loads(data).get("operations", {}).values():
            yield first(operation.get("documentation"))


def discovery(wheel):
    def walk(part):
        for method in part.get("methods", {}).values():
            yield first(method.get("description"))
            for argument in method.get("parameters", {}).values():
                yield first(argument.get("description"))
        for resource in part.get("resources", {}).values():
            yield from walk(resource)

    for name in sorted(it for it in wheel.namelist() if "discovery_cache/documents/" in it and it.endswith(".json")):
        document = json.loads(wheel.read(name))
        yield first(document.get("description"))
        yield from walk(document)


def docstrings(wheel):
    for name in sorted(it for it in wheel.namelist() if it.endswith(".py")):
        for found in DOCSTRING.finditer(wheel.read(name).decode(errors="replace")):
            yield first(found.group(1))


def openapi(archive):
    for member in archive.getmembers():
        if not member.name.endswith(".json") or "deref" in member.name or "paths" not in (document := json.load(archive.extractfile(member))):
            continue
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    yield operation.get("summary", "")
                    yield first(operation.get("description"))


def of(path):
    if path.endswith(".txt"):
        return lines(path)
    if path.endswith(".tgz"):
        return openapi(tarfile.open(path))
    wheel = zipfile.ZipFile(path)
    kind = {"botocore": botocore, "google_api_python_client": discovery}
    return next((read for name, read in kind.items() if name in path), docstrings)(wheel)


def distinct(texts):
    """Texts of a useful length, each once (letters compared, numbers not), in the order of a hash: any part is a sample."""
    seen = {}
    for text in texts:
        key = re.sub(r"[\W\d_]+", "", text.lower())
        if len(text) in LENGTH and len(text.split()) >= 3 and "\0" not in text:
            seen.setdefault(key, text)
    return sorted(seen.values(), key=lambda it: hashlib.blake2b(it.encode()).digest())
