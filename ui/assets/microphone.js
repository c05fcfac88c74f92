/* An audio worklet: what the microphone gives becomes 16-bit mono at 16 to 24 kHz, in pieces of a quarter of a second.
   Low-pass filter (windowed sinc) and decimation by a whole factor; the server does the rest exactly. */
class Microphone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.factor = Math.max(1, Math.floor(sampleRate / 16000));
    const taps = this.factor === 1 ? 1 : 16 * this.factor + 1, middle = (taps - 1) / 2, cut = 0.46 / this.factor;
    this.filter = Float32Array.from({ length: taps }, (_, i) => {
      const x = i - middle;
      const sinc = x === 0 ? 2 * cut : Math.sin(2 * Math.PI * cut * x) / (Math.PI * x);
      return taps === 1 ? 1 : sinc * (0.54 + 0.46 * Math.cos((Math.PI * x) / middle));
    });
    this.rate = sampleRate / this.factor;
    this.waiting = new Float32Array(0);
    this.piece = [];
    this.loudest = 0;
  }

  process(inputs) {
    const channels = inputs[0];
    if (!channels || !channels.length) return true;
    const length = channels[0].length;
    const joined = new Float32Array(this.waiting.length + length);
    joined.set(this.waiting);
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (const channel of channels) sum += channel[i];
      const value = sum / channels.length;
      joined[this.waiting.length + i] = value;
      this.loudest = Math.max(this.loudest, Math.abs(value));
    }
    const taps = this.filter.length;
    let at = 0;
    for (; at + taps <= joined.length; at += this.factor) {
      let sum = 0;
      for (let i = 0; i < taps; i++) sum += joined[at + i] * this.filter[i];
      this.piece.push(Math.max(-1, Math.min(1, sum)));
    }
    this.waiting = joined.slice(at);
    if (this.piece.length >= this.rate / 4) {
      const samples = Int16Array.from(this.piece, (value) => Math.round(value * 32767));
      this.port.postMessage({ samples, rate: this.rate, level: this.loudest }, [samples.buffer]);
      this.piece = [];
      this.loudest = 0;
    }
    return true;
  }
}
registerProcessor("viva-microphone", Microphone);
