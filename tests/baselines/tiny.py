"""Models made on the spot: a CLAP of 30,000 weights that hears two seconds, and encoders; nothing is downloaded."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    ASTConfig,
    ASTFeatureExtractor,
    ASTModel,
    ClapAudioConfig,
    ClapConfig,
    ClapFeatureExtractor,
    ClapModel,
    ClapTextConfig,
    PreTrainedTokenizerFast,
    Wav2Vec2Config,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2Model,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperModel,
)

MAX_TOKENS = 96


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level, so that every script has tokens."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(["happy sad calm"], trainer)
    marks = [("<s>", 0), ("</s>", 2)]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=marks)
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=MAX_TOKENS, **names)


def clap(folder: Path, seconds: int = 2, seed: int = 0) -> Path:
    """Write a CLAP with random weights to `folder`."""
    text = ClapTextConfig(
        vocab_size=300,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=MAX_TOKENS + 2,
        projection_dim=16,
    )
    audio = ClapAudioConfig(
        window_size=8,
        spec_size=128,
        num_mel_bins=64,
        patch_stride=[4, 4],
        depths=[1, 1],
        num_attention_heads=[2, 2],
        patch_embeds_hidden_size=16,
        hidden_size=32,
        projection_dim=16,
        enable_fusion=False,
        num_classes=4,
    )
    torch.manual_seed(seed)
    ClapModel(ClapConfig(text_config=text.to_dict(), audio_config=audio.to_dict(), projection_dim=16)).save_pretrained(
        folder
    )
    tokenizer().save_pretrained(folder)
    ClapFeatureExtractor(truncation="rand_trunc", max_length_s=seconds, hop_length=1920).save_pretrained(folder)
    return folder


def wav2vec2(folder: Path) -> Path:
    """Write a wav2vec 2.0 with random weights to `folder`."""
    torch.manual_seed(0)
    config = Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=[8, 8],
        conv_stride=[10, 8],
        conv_kernel=[10, 8],
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
    )
    Wav2Vec2Model(config).save_pretrained(folder)
    Wav2Vec2FeatureExtractor(sampling_rate=16_000).save_pretrained(folder)
    return folder


def ast(folder: Path) -> Path:
    """Write an Audio Spectrogram Transformer with random weights to `folder`."""
    torch.manual_seed(0)
    layers = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    ASTModel(ASTConfig(**layers, max_length=128, num_mel_bins=32, patch_size=16)).save_pretrained(folder)
    ASTFeatureExtractor(max_length=128, num_mel_bins=32).save_pretrained(folder)
    return folder


def whisper(folder: Path) -> Path:
    """Write a Whisper with random weights to `folder`, which hears four seconds."""
    torch.manual_seed(0)
    config = WhisperConfig(
        vocab_size=60,
        num_mel_bins=20,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        d_model=16,
        max_source_positions=200,
        pad_token_id=50,
        bos_token_id=51,
        eos_token_id=52,
        decoder_start_token_id=53,
    )
    WhisperModel(config).save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=20, chunk_length=4).save_pretrained(folder)
    return folder
