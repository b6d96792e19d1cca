/** Two falling tones, three times: frequency in hertz and start in seconds. */
const tones = [0, 0.6, 1.2].flatMap((at) => [[880, at] as const, [587, at + 0.22] as const]);
const toneSeconds = 0.2;
const loudness = 0.35;
/** Maximum delay of an alarm. Browsers may delay it until a key press or a click, and a late alarm would mislead. */
const lateMs = 3_000;

let context: AudioContext | undefined;

/** Plays the alarm if the browser allows sound, and `mayStart` then agrees. */
export async function alarm(mayStart = () => true): Promise<void> {
  context ??= new AudioContext();
  const askedMs = Date.now();
  await context.resume();
  if (Date.now() - askedMs > lateMs || !mayStart()) return;
  const now = context.currentTime + 0.05;
  for (const [frequency, at] of tones) play(context, frequency, now + at);
}

function play(audio: AudioContext, frequency: number, at: number): void {
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = 'triangle';
  tone.frequency.value = frequency;
  // A sudden start or end would click.
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(loudness, at + 0.01);
  volume.gain.setValueAtTime(loudness, at + toneSeconds - 0.04);
  volume.gain.linearRampToValueAtTime(0, at + toneSeconds);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + toneSeconds);
}

const gestures = ['pointerdown', 'keydown'] as const;

/** Unlocks sound at the next key or click, for later alarms. Returns a function that stops waiting for it. */
export function readyAlarm(): () => void {
  const ready = () => {
    end();
    context ??= new AudioContext();
    void context.resume();
  };
  const end = () => {
    for (const type of gestures) removeEventListener(type, ready, true);
  };
  for (const type of gestures) addEventListener(type, ready, true);
  return end;
}
