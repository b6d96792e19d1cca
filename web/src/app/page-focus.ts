/** Whether no element has the focus, or only an inert one. Keys then go to the page as a whole. */
export function isFocusFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.closest('[inert]') !== null;
}

/** Focuses the list of entries, or the main part of a page without one. */
export function focusContent(): void {
  const content =
    document.querySelector<HTMLElement>('.mid:not([inert]) .list a[tabindex="0"]') ??
    document.querySelector<HTMLElement>('main');
  if (content && content.tabIndex < 0) content.tabIndex = -1;
  content?.focus();
}

/** Focuses an element, or the content of the page if the element is gone. */
export function focusOrContent(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus();
  if (isFocusFree()) focusContent();
}

/** Focuses the content of a page that an action has opened, unless a part of the page has the focus. */
export function focusAfterAction(): void {
  if (navigator.userActivation?.hasBeenActive && isFocusFree()) focusContent();
}
