/** How long keys are held; if what they are for is not there by then, it has failed to load. */
const longestMs = 30_000;
/** Maximum number of held keys, because a key that is held down repeats. */
const maxKeys = 1_000;
/** How many frames something that was opened has to take the focus. */
const maxFrames = 60;

/** Keys that were pressed since something was asked for; undefined: nothing is. */
let held: { readonly keys: string[]; readonly end: ReturnType<typeof setTimeout> } | undefined;
/** The field, or what was opened, in which the keys are being pressed again. */
let receiver: Element | undefined;

/**
 * Keeps what is typed from now on for a field, a menu or a dialog that is still being loaded, so that it is neither lost
 * nor taken for shortcuts. A field that shows up passes itself to `giveKeysTo`, the others to `giveKeysWithin`.
 */
export function holdKeys(): void {
  if (held) return;
  held = { keys: [], end: setTimeout(dropKeys, longestMs) };
  addEventListener('keydown', hold, { capture: true });
  // A click elsewhere says what is meant.
  addEventListener('pointerdown', dropKeys, { capture: true });
}

/** Whether what is typed is held. */
export function areKeysHeld(): boolean {
  return held !== undefined;
}

/** Ends `holdKeys` without a receiver. */
export function dropKeys(): void {
  removeEventListener('keydown', hold, { capture: true });
  removeEventListener('pointerdown', dropKeys, { capture: true });
  clearTimeout(held?.end);
  held = undefined;
}

/** Focuses a field, and types into it what was typed since it was asked for. */
export function giveKeysTo(field: HTMLElement): void {
  field.focus();
  receive(field);
}

/** Presses again what was pressed since it was asked for, once the focus is within an element with this selector. */
export function giveKeysWithin(selector: string, framesLeft = maxFrames): void {
  if (!held) return;
  const opened = document.activeElement?.closest(selector);
  if (opened) receive(opened);
  else if (framesLeft === 0) dropKeys();
  else requestAnimationFrame(() => giveKeysWithin(selector, framesLeft - 1));
}

function hold(event: KeyboardEvent): void {
  const { key } = event;
  // Characters with AltGr come with Ctrl and Alt on some systems.
  const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  // Not those that are pressed again.
  if (isCommand || event.isComposing || !event.isTrusted) return;
  if (key === 'Escape') dropKeys();
  else if (key === 'Backspace') held?.keys.pop();
  else if (/^(Enter|Tab|Home|End|Arrow.*)$/.test(key) || [...key].length === 1) push(key);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function push(key: string): void {
  if (held && held.keys.length < maxKeys) held.keys.push(key);
}

function receive(element: Element): void {
  if (!held) return;
  const isPressing = receiver !== undefined;
  receiver = element;
  if (!isPressing) void pressAgain(held.keys);
}

/** Presses the keys, and those that are pressed in the meantime. */
async function pressAgain(keys: string[]): Promise<void> {
  // Another element that was chosen in the meantime keeps the focus.
  while (held?.keys === keys && receiver?.contains(document.activeElement)) {
    const key = keys.shift();
    if (key === undefined) break;
    press(document.activeElement as HTMLElement, key);
    // The page reacts to each key before the next one, as when it is pressed.
    await new Promise((resolve) => setTimeout(resolve));
  }
  receiver = undefined;
  if (held?.keys === keys) dropKeys();
}

function press(target: HTMLElement, key: string): void {
  if (key === 'Tab') moveOn(target);
  else if (key === 'Enter' && target.isContentEditable) document.execCommand('insertParagraph');
  else if ([...key].length === 1 && isField(target)) document.execCommand('insertText', false, key);
  else if (sendKey(target, key) && key === 'Enter') {
    if (target instanceof HTMLInputElement) target.form?.requestSubmit();
    else target.click();
  }
}

/** Sends the events of a key. Returns false if the page has handled it. */
function sendKey(target: HTMLElement, key: string): boolean {
  const init = { key, bubbles: true, cancelable: true };
  const isFree = target.dispatchEvent(new KeyboardEvent('keydown', init));
  document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', init));
  return isFree;
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(INPUT|TEXTAREA)$/.test(element.tagName);
}

function moveOn(from: HTMLElement): void {
  const all = document.querySelectorAll<HTMLElement>(
    'a[href], button, input, [contenteditable="true"], [tabindex="0"]',
  );
  const next = [...all].find((one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  next?.focus();
  if (next && receiver && !receiver.contains(next)) receiver = next;
}
