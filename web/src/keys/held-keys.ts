/** How long keys are held for a field; if it is not there by then, it has failed to load. */
const longestMs = 30_000;
/** Maximum number of held keys, because a key that is held down repeats. */
const maxKeys = 1_000;

/** Keys that were pressed since the field was asked for; undefined: none is. */
let held: { readonly keys: string[]; readonly end: ReturnType<typeof setTimeout> } | undefined;

/**
 * Keeps what is typed from now on for a field that is still being loaded, so that it is neither lost nor taken for
 * shortcuts. A field that shows up passes itself to `giveKeysTo`.
 */
export function holdKeys(): void {
  if (held) return;
  held = { keys: [], end: setTimeout(dropKeys, longestMs) };
  addEventListener('keydown', hold, { capture: true });
  // A click elsewhere says what is meant.
  addEventListener('pointerdown', dropKeys, { capture: true });
}

/** Ends `holdKeys` without a field. */
export function dropKeys(): void {
  removeEventListener('keydown', hold, { capture: true });
  removeEventListener('pointerdown', dropKeys, { capture: true });
  clearTimeout(held?.end);
  held = undefined;
}

/** Focuses a field, and types into it what was typed since it was asked for. */
export function giveKeysTo(field: HTMLElement): void {
  field.focus();
  if (held) void type(field, held.keys);
}

function hold(event: KeyboardEvent): void {
  const { key } = event;
  // Characters with AltGr come with Ctrl and Alt on some systems.
  const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
  // Not those that `enter` makes.
  if (isCommand || event.isComposing || !event.isTrusted) return;
  if (key === 'Escape') dropKeys();
  else if (key === 'Backspace') held?.keys.pop();
  else if (/^(Enter|Tab)$/.test(key) || [...key].length === 1) push(key);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function push(key: string): void {
  if (held && held.keys.length < maxKeys) held.keys.push(key);
}

/** Types the keys, and those that are pressed in the meantime. */
async function type(first: HTMLElement, keys: string[]): Promise<void> {
  let field = first;
  // Another field that was chosen in the meantime keeps the focus.
  while (document.activeElement === field && held?.keys === keys) {
    const key = keys.shift();
    if (key === undefined) break;
    if (key === 'Tab') field = focusAfter(field);
    else if (key === 'Enter') enter(field);
    else document.execCommand('insertText', false, key);
    // The page reacts to each key before the next one, as when it is pressed.
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (held?.keys === keys) dropKeys();
}

function focusAfter(field: HTMLElement): HTMLElement {
  const all = document.querySelectorAll<HTMLElement>(
    'a[href], button, input, [contenteditable="true"], [tabindex="0"]',
  );
  const next = [...all].find((one) => field.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) ?? field;
  next.focus();
  return next;
}

function enter(field: HTMLElement): void {
  if (field.isContentEditable) document.execCommand('insertParagraph');
  else if (field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))) {
    if (field instanceof HTMLInputElement) field.form?.requestSubmit();
  }
}
