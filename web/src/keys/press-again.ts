import { nextStop } from './next-stop.ts';

/** Text to write, or the event of another key or of a paste. */
export type HeldKey = string | KeyboardEvent | ClipboardEvent;

const textFields = 'textarea, [contenteditable="true"], input:is(:not([type]), [type="text"], [type="search"])';

/** Presses a key on the focused element. Returns the element to which the Tab key has moved the focus. */
export function press(focused: HTMLElement, key: HeldKey): HTMLElement | undefined {
  const target = typeof key === 'string' || 'clipboardData' in key ? focusFieldFor(focused) : focused;
  if (typeof key !== 'string' && 'key' in key && key.key === 'Tab' && !isTextArea(target))
    return sendKey(target, key) ? moveOn(target, key.shiftKey) : (document.activeElement as HTMLElement);
  if (typeof key === 'string') {
    if (isField(target)) insert(key);
    else sendKey(target, new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  } else if ('clipboardData' in key) {
    if (target.dispatchEvent(key) && isField(target)) insert(key.clipboardData?.getData('text/plain') ?? '');
  } else if (sendKey(target, key)) actAsBrowser(target, key);
  return undefined;
}

/** Moves the focus of a dialog to its first text field if the focused element takes no text, such as a check box. */
function focusFieldFor(focused: HTMLElement): HTMLElement {
  const isTyping = isField(focused) && !focused.matches('[type="checkbox"], [type="radio"]');
  const field = isTyping ? undefined : focused.closest('dialog, [role="dialog"]')?.querySelector(textFields);
  (field as HTMLElement | undefined)?.focus();
  return document.activeElement as HTMLElement;
}

/** Sends the events of a key. Returns false if the page has handled it. */
function sendKey(target: HTMLElement, event: KeyboardEvent): boolean {
  const isFree = target.dispatchEvent(event);
  document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', event));
  return isFree;
}

/** Acts as the browser would for a key that the page has not handled, because browsers ignore events of scripts. */
function actAsBrowser(target: HTMLElement, event: KeyboardEvent): void {
  const { key } = event;
  const isMod = event.ctrlKey || event.metaKey;
  if (key === 'Escape') target.closest('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }));
  else if (/^(Enter|Tab)$/.test(key) && isTextArea(target)) insert('\n');
  else if (key === 'Enter') {
    // A held key must not confirm a deletion, because the user had not seen the button when pressing it.
    if (isDestructive(target)) return;
    if (target instanceof HTMLInputElement) target.form?.requestSubmit();
    else target.click();
  } else if (!(target instanceof HTMLInputElement || isTextArea(target))) return;
  else if (key === 'a') target.select();
  else if (key === 'z') document.execCommand('undo');
  else if (key.length > 1) moveCaret(target, event, isMod);
}

/** Moves the caret or erases. `Selection.modify` is not an alternative: it does nothing in the text fields of Firefox. */
function moveCaret(
  field: HTMLInputElement | HTMLTextAreaElement,
  { key, shiftKey }: KeyboardEvent,
  isMod: boolean,
): void {
  const { selectionStart: start, selectionEnd: end, selectionDirection, value } = field;
  // Fields such as those of numbers have no caret that a script can read.
  if (start === null || end === null) return;
  const isErasing = key === 'Backspace' || key === 'Delete';
  const isBack = /^(Backspace|Home|ArrowLeft|ArrowUp)$/.test(key);
  const unit = isErasing || /Left|Right/.test(key) ? (isMod ? 'word' : 'grapheme') : 'line';
  const [anchor, caret] = selectionDirection === 'backward' ? [end, start] : [start, end];
  if (isErasing ? start === end : shiftKey) {
    const to = nextStop(value, caret, unit, isBack);
    field.setSelectionRange(Math.min(anchor, to), Math.max(anchor, to), to < anchor ? 'backward' : 'forward');
  } else if (!isErasing) {
    // An arrow key leaves a selection at its edge.
    const to = start !== end && unit === 'grapheme' ? (isBack ? start : end) : nextStop(value, caret, unit, isBack);
    field.setSelectionRange(to, to);
  }
  // The command would erase the text before the caret if nothing were selected.
  if (isErasing && field.selectionStart !== field.selectionEnd) document.execCommand('delete');
}

function isDestructive(target: HTMLElement): boolean {
  const button = target instanceof HTMLInputElement ? target.form?.querySelector('[type="submit"]') : target;
  return button?.matches('.danger') === true;
}

function insert(text: string): void {
  document.execCommand('insertText', false, text);
}

/**
 * Whether the element is a text area. Text areas hold what was typed for fields that could not be loaded, with Enter
 * and Tab as line ends.
 */
function isTextArea(element: HTMLElement): element is HTMLTextAreaElement {
  return element instanceof HTMLTextAreaElement;
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(INPUT|TEXTAREA)$/.test(element.tagName);
}

/** Focuses the next element, or the one before. */
function moveOn(from: HTMLElement, isBack: boolean): HTMLElement | undefined {
  const all = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, textarea, [contenteditable="true"], [tabindex="0"]',
    ),
  ];
  const { DOCUMENT_POSITION_PRECEDING, DOCUMENT_POSITION_FOLLOWING } = Node;
  const side = isBack ? DOCUMENT_POSITION_PRECEDING : DOCUMENT_POSITION_FOLLOWING;
  const isThere = (one: HTMLElement) => (from.compareDocumentPosition(one) & side) !== 0;
  const next = isBack ? all.findLast(isThere) : all.find(isThere);
  next?.focus();
  return next;
}
