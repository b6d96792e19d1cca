/** Whether nothing has the focus, or what is about to lose it: keys then go to the page as a whole. */
export function isFocusFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.closest('[inert]') !== null;
}

/** Focuses the entries, or else what the page is about. */
export function focusContent(): void {
  const content =
    document.querySelector<HTMLElement>('.mid:not([inert]) .list a[tabindex="0"]') ??
    document.querySelector<HTMLElement>('main');
  if (content && content.tabIndex < 0) content.tabIndex = -1;
  content?.focus();
}

/** Focuses an element, and the content of the page when it has gone in the meantime. */
export function focusOrContent(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus();
  if (isFocusFree()) focusContent();
}

/** Focuses the content of a page to which an action has led, unless the page has focused a part of it. */
export function focusAfterAction(): void {
  if (navigator.userActivation?.hasBeenActive && isFocusFree()) focusContent();
}
