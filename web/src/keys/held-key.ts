import type { HeldKey } from './press-again.ts';
import { pressedKeys } from './pressed-keys.ts';

/** Keys that type no character but are held, if pressed without Ctrl, Cmd or Alt. */
const named = /^(Enter|Tab|Escape|Home|End|Arrow.*|Backspace|Delete)$/;
/** Keys with Ctrl, Cmd or Alt that a text field or the page handles. All others stay with the browser. */
const commands =
  /^(Mod (Shift )?(Enter|Home|End|Backspace|Delete|Arrow.*)|Mod ([ABIUYZ/[\]]|Shift [KZ])|Alt ([LPU]|(Shift )?Arrow(Up|Down)))$/;

/** Returns the text that the key writes, or its event; undefined for a key of the browser. */
export function toHeldKey(event: KeyboardEvent): HeldKey | undefined {
  const { key } = event;
  // Characters with AltGr come with Ctrl and Alt on some systems.
  const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  if (!isCommand && [...key].length === 1) return key;
  const isHeld = isCommand ? commands.test(pressedKeys(event)) : named.test(key);
  return isHeld ? new KeyboardEvent('keydown', event) : undefined;
}

/** Whether the key writes text or erases it, as opposed to a command or a key that is held down. */
export function isTyped(event: KeyboardEvent): boolean {
  return !event.repeat && (typeof toHeldKey(event) === 'string' || /^(Backspace|Delete)$/.test(event.key));
}

/** Returns the text after the key was pressed. */
export function addKey(text: string, key: HeldKey): string {
  if (typeof key === 'string') return text + key;
  if ('clipboardData' in key) return text + (key.clipboardData?.getData('text/plain') ?? '');
  if (key.key === 'Backspace') return text.replace(/.$/su, '');
  return /^(Enter|Tab)$/.test(pressedKeys(key)) ? `${text}\n` : text;
}
