#!/usr/bin/env python3
"""Checks a proof that "logbook prove" wrote: check_proof.py PROOF PUBLIC_KEY

Needs Python 3.8 and, for the signature, the command openssl. Nothing of Logbook is used.
"""
import base64, hashlib, json, re, subprocess, sys, tempfile


class NotProven(Exception):
    pass


def require(condition, otherwise):
    """Unlike "assert", it also checks when Python runs with optimisation."""
    if not condition:
        raise NotProven(otherwise)


def canonical(value):
    """Canonical JSON (RFC 8785), for objects whose keys are ASCII and whose numbers are integers."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written in UTF-8.
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half[0]), text)


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).digest()


def content_digest(fields):
    """The digest of a version: of the digests of its fields, each with its salt."""
    names = ["head", "title", "text", "properties"] + ["attachment"] * (len(fields) - 4)
    require([field["name"] for field in fields] == names, "a field is missing, or in another place")
    digests = []
    for field in fields:
        if "digest" in field:  # Its content is unknown, but that it was there is proven.
            require(re.fullmatch("[0-9a-f]{64}", field["digest"]), "a digest is malformed")
            digests.append(field["digest"])
        else:
            require(re.fullmatch("[A-Za-z0-9_-]{22}", field["salt"]), "a salt is malformed")
            text = "field %s %s %s" % (field["salt"], field["name"], canonical(field["value"]))
            digests.append(sha256(text).hex())
    return sha256("content " + "".join(digests)).hex()


def node(left, right):
    return sha256(b"\x01" + left + right)


def root_of(leaf, index, size, path):
    """The root to which the path leads (RFC 6962, section 2.1.1)."""
    require(0 <= index < size, "the record is outside of the tree")
    if size == 1:
        require(not path, "the path is too long")
        return leaf
    half = 1 << (size - 1).bit_length() - 1
    sibling = bytes.fromhex(path[-1])
    if index < half:
        return node(root_of(leaf, index, half, path[:-1]), sibling)
    return node(sibling, root_of(leaf, index - half, size - half, path[:-1]))


def open_checkpoint(text, key_file):
    """Checks the signature; returns the lines that were signed: logbook, size, root, time."""
    note, signatures = text.split("\n\n")
    note += "\n"
    signature = base64.b64decode(signatures.split()[2])[4:]
    with tempfile.NamedTemporaryFile() as message, tempfile.NamedTemporaryFile() as signed:
        message.write(note.encode())
        signed.write(signature)
        message.flush()
        signed.flush()
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", key_file]
        command += ["-in", message.name, "-sigfile", signed.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return note.splitlines()


def main(proof_file, key_file):
    with open(proof_file, encoding="utf-8") as file:
        proof = json.load(file)
    record, fields = proof["record"], proof["fields"]
    require(content_digest(fields) == record["digest"], "the content is not what was recorded")
    require(fields[0].get("value", {}).get("id") == record["entry"], "the record is of another entry")
    root = root_of(sha256("\0" + canonical(record)), record["number"], proof["size"], proof["path"])
    require(root.hex() == proof["root"], "the record is not in the tree")
    require(proof["checkpoint"], "the proof has no checkpoint: it proves nothing")
    logbook, size, signed_root, time = open_checkpoint(proof["checkpoint"], key_file)
    require((int(size), base64.b64decode(signed_root)) == (proof["size"], root), "the checkpoint is of another tree")
    print("Proven: entry %d, version %d, of %s. Signed: %s" % (record["entry"], record["version"], logbook, time))
    for field in fields:
        if "digest" in field:
            print("Not shown: the content of a field (%s)" % field["name"])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (NotProven, subprocess.CalledProcessError, AttributeError, LookupError, ValueError, TypeError) as error:
        sys.exit("Not proven: %s" % error)
