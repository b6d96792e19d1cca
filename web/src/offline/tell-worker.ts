import type { WorkerMessage } from './worker-messages.ts';

/** Sends a message to the service worker. Does nothing without one, that is, without a secure context or storage. */
export function tellWorker(message: WorkerMessage): void {
  if (!('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.getRegistration('/').then(
    (registration) => registration?.active?.postMessage(message),
    () => undefined,
  );
}
