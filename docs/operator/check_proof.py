#!/usr/bin/env python3
"""Checks a proof that "logbook prove" wrote: check_proof.py PROOF PUBLIC_KEY

Needs Python 3.8 and, for the signature, the command openssl. Nothing of Logbook is used. It prints nothing that is not
proven: a proof has the keys that are listed here and no others, and each number is a whole number in its shortest form.
"""
import base64, hashlib, json, re, subprocess, sys, tempfile

MAX_BYTES, MAX_DEPTH, MAX_SIGNATURES = 100_000_000, 20, 16
KINDS = ("created", "edited", "annotated", "recorded")
HEADER = b"-----BEGIN PUBLIC KEY-----"
ED25519 = bytes.fromhex("302a300506032b6570032100")
NOTE = (
    r"(logbook/[0-9A-Za-z-]+)\n(0|[1-9][0-9]{0,14})\n([0-9A-Za-z+/]{43}=)\n"
    r"(time [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)\n"
)
SIGNATURE = "\u2014 ([!-~]+) ([0-9A-Za-z+/]+={0,2})"


class NotProven(Exception):
    pass


REFUSALS = (NotProven, OSError, ValueError, TypeError)


def require(condition, otherwise):
    """Unlike "assert", it also checks when Python runs with optimisation."""
    if not condition:
        raise NotProven(otherwise)


def is_hash(value):
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_count(value):
    """Whether it is a whole number from 0 on; True and False are none."""
    return type(value) is int and value >= 0


def has_keys(value, keys):
    return isinstance(value, dict) and sorted(value) == sorted(keys.split())


def whole_number(text):
    if text == "-0" or len(text) > 17 or abs(int(text)) >= 2**53:
        raise ValueError
    return int(text)


def refuse(_):
    raise ValueError


def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)


def parse(content):
    try:
        options = {"parse_int": whole_number, "parse_float": refuse, "parse_constant": refuse}
        proof = json.loads(content.decode("utf-8"), object_pairs_hook=unique, **options)
        require(depth(proof) <= MAX_DEPTH, "it is not a proof in JSON")
        return proof
    except (ValueError, RecursionError):
        raise NotProven("it is not a proof in JSON")


def canonical(value):
    """Canonical JSON (RFC 8785), for objects whose keys are ASCII and whose numbers are integers."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written in UTF-8.
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half[0]), text)


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).digest()


def check_form(proof):
    form = "it is not a proof of the format logbook-proof-1"
    require(has_keys(proof, "format fields record size root path checkpoint"), form)
    require(proof["format"] == "logbook-proof-1" and isinstance(proof["fields"], list), form)
    require(proof["checkpoint"] is not None, "the proof has no checkpoint: it proves nothing")
    require(is_count(proof["size"]) and is_hash(proof["root"]) and isinstance(proof["checkpoint"], str), form)
    require(isinstance(proof["path"], list) and all(map(is_hash, proof["path"])), form)
    record = proof["record"]
    require(has_keys(record, "at digest entry kind number previous subject version"), "the record is malformed")
    counts = all(is_count(record[key]) for key in ("at", "entry", "number", "version"))
    require(counts and is_hash(record["digest"]) and is_hash(record["previous"]), "the record is malformed")
    about = record["kind"] in KINDS and record["subject"] == "" and record["version"] > 0
    require(about, "the record is not that of a version of an entry")


def content_digest(fields):
    """The digest of a version: of the digests of its fields, each with its salt."""
    names = ["head", "title", "text", "properties"] + ["attachment"] * (len(fields) - 4)
    found = [field.get("name") if isinstance(field, dict) else None for field in fields]
    require(found == names, "a field is missing, or in another place")
    digests = []
    for field in fields:
        if has_keys(field, "name digest"):  # Its content is unknown, but that it was there is proven.
            require(is_hash(field["digest"]), "a digest is malformed")
            digests.append(field["digest"])
        else:
            require(has_keys(field, "name salt value"), "a field has keys other than a salt and a value, or a digest")
            salt = field["salt"]
            require(isinstance(salt, str) and re.fullmatch("[A-Za-z0-9_-]{22}", salt), "a salt is malformed")
            digests.append(sha256("field %s %s %s" % (salt, field["name"], canonical(field["value"]))).hex())
    return sha256("content " + "".join(digests)).hex()


def node(left, right):
    return sha256(b"\x01" + left + right)


def root_of(leaf, index, size, path):
    """The root to which the path leads (RFC 6962, section 2.1.1)."""
    require(0 <= index < size and (size == 1) == (not path), "the record is not in the tree")
    if size == 1:
        return leaf
    half = 1 << (size - 1).bit_length() - 1
    sibling = bytes.fromhex(path[-1])
    if index < half:
        return node(root_of(leaf, index, half, path[:-1]), sibling)
    return node(sibling, root_of(leaf, index - half, size - half, path[:-1]))


def read_key(key_file):
    """The 32 bytes of an Ed25519 key in PEM."""
    with open(key_file, "rb") as file:
        lines = [line.strip() for line in file.read(10_000).strip().splitlines()]
    require(lines and lines[0] == HEADER, "the key is not a public Ed25519 key in PEM")
    der = base64.b64decode(b"".join(lines[1:-1]))
    require(len(der) == 44 and der[:12] == ED25519, "the key is not a public Ed25519 key in PEM")
    return der[12:]


def is_signed(note, signature, key_file):
    with tempfile.NamedTemporaryFile() as message, tempfile.NamedTemporaryFile() as signed:
        for file, content in ((message, note.encode()), (signed, signature)):
            file.write(content)
            file.flush()
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", key_file]
        command += ["-in", message.name, "-sigfile", signed.name]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def open_checkpoint(text, key_file):
    """Checks the signature; returns what was signed: logbook, size, root, time."""
    note, _, rest = text.partition("\n\n")
    note += "\n"
    found, lines = re.fullmatch(NOTE, note), rest.split("\n")
    signatures = [re.fullmatch(SIGNATURE, line) for line in lines[:-1]]
    well_formed = found and lines[-1] == "" and 0 < len(signatures) <= MAX_SIGNATURES and all(signatures)
    require(well_formed, "the checkpoint is malformed")
    logbook, size, root, time = found.groups()
    require(base64.b64encode(base64.b64decode(root)).decode() == root, "the checkpoint is malformed")
    key_id = sha256(logbook.encode() + b"\n\x01" + read_key(key_file))[:4]
    for name, encoded in (signature.groups() for signature in signatures):
        if name != logbook or len(encoded) != 92:  # Other parties may have signed it too.
            continue
        signature = base64.b64decode(encoded)
        if len(signature) == 68 and signature[:4] == key_id and is_signed(note, signature[4:], key_file):
            return logbook, int(size), base64.b64decode(root), time
    raise NotProven("the checkpoint is not signed by this key, or was changed since")


def main(proof_file, key_file):
    with open(proof_file, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    require(len(content) <= MAX_BYTES, "it is not a proof in JSON")
    proof = parse(content)
    check_form(proof)
    record, fields = proof["record"], proof["fields"]
    require(content_digest(fields) == record["digest"], "the content is not what was recorded")
    head = fields[0].get("value")
    shown = head.get("id") if isinstance(head, dict) else None
    require(is_count(shown) and shown == record["entry"], "the record is of another entry")
    logbook, size, root, time = open_checkpoint(proof["checkpoint"], key_file)
    require((size, root.hex()) == (proof["size"], proof["root"]), "the checkpoint is of another tree")
    proven = root_of(sha256("\0" + canonical(record)), record["number"], size, proof["path"])
    require(proven == root, "the record is not in the tree")
    print("Proven: entry %d, version %d, of %s. Signed: %s" % (record["entry"], record["version"], logbook, time))
    for field in fields:
        if "digest" in field:
            print("Not shown: the content of a field (%s)" % field["name"])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except REFUSALS as error:
        sys.exit("Not proven: %s" % error)
