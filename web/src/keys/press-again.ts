/** Text to write, or the event of another key or of a paste. */
export type HeldKey = string | KeyboardEvent | ClipboardEvent;

/** Presses a key on the focused element. Returns the element to which it moved the focus by Tab. */
export function press(target: HTMLElement, key: HeldKey): HTMLElement | undefined {
  if (typeof key !== 'string' && 'key' in key && key.key === 'Tab' && !isTextArea(target))
    return moveOn(target, key.shiftKey);
  if (typeof key === 'string') {
    if (isField(target)) insert(key);
    else sendKey(target, new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  } else if ('clipboardData' in key) {
    if (target.dispatchEvent(key) && isField(target)) insert(key.clipboardData?.getData('text/plain') ?? '');
  } else if (sendKey(target, key)) actAsBrowser(target, key);
  return undefined;
}

/** Sends the events of a key. Returns false if the page has handled it. */
function sendKey(target: HTMLElement, event: KeyboardEvent): boolean {
  const isFree = target.dispatchEvent(event);
  document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', event));
  return isFree;
}

/** Does what the browser does for a key that the page has not handled: it leaves events of scripts alone. */
function actAsBrowser(target: HTMLElement, event: KeyboardEvent): void {
  const { key, shiftKey } = event;
  const isMod = event.ctrlKey || event.metaKey;
  if (key === 'Escape') target.closest('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }));
  else if (/^(Enter|Tab)$/.test(key) && isTextArea(target)) insert('\n');
  else if (key === 'Enter') {
    if (target instanceof HTMLInputElement) target.form?.requestSubmit();
    else target.click();
  } else if (!(target instanceof HTMLInputElement || isTextArea(target))) return;
  else if (key === 'a') target.select();
  else if (key === 'z') document.execCommand('undo');
  else if (key.length > 1) {
    const isErasing = key === 'Backspace' || key === 'Delete';
    const direction = /^(Backspace|Home|ArrowLeft|ArrowUp)$/.test(key) ? 'backward' : 'forward';
    const unit = isErasing || /Left|Right/.test(key) ? (isMod ? 'word' : 'character') : 'lineboundary';
    // A selection is erased instead.
    const isMoving = !isErasing || target.selectionStart === target.selectionEnd;
    if (isMoving) getSelection()?.modify(isErasing || shiftKey ? 'extend' : 'move', direction, unit);
    if (isErasing) document.execCommand('delete');
  }
}

function insert(text: string): void {
  document.execCommand('insertText', false, text);
}

/** Has no Tab to another field: it has what was typed for fields that could not be loaded. */
function isTextArea(element: HTMLElement): element is HTMLTextAreaElement {
  return element instanceof HTMLTextAreaElement;
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(INPUT|TEXTAREA)$/.test(element.tagName);
}

/** Focuses the next element, or the one before. */
function moveOn(from: HTMLElement, isBack: boolean): HTMLElement | undefined {
  const all = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, [contenteditable="true"], [tabindex="0"]'),
  ];
  const { DOCUMENT_POSITION_PRECEDING, DOCUMENT_POSITION_FOLLOWING } = Node;
  const side = isBack ? DOCUMENT_POSITION_PRECEDING : DOCUMENT_POSITION_FOLLOWING;
  const isThere = (one: HTMLElement) => (from.compareDocumentPosition(one) & side) !== 0;
  const next = isBack ? all.findLast(isThere) : all.find(isThere);
  next?.focus();
  return next;
}
