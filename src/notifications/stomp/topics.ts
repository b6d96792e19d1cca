import { foldCase } from '../../kernel/text.js';
import type { LiveNotification } from '../live/entry-notification.js';

/** Topic to which a client can subscribe. */
export type Topic =
  | { readonly kind: 'messages' }
  | { readonly kind: 'echo' }
  | { readonly kind: 'entries' }
  | { readonly kind: 'logbook'; readonly name: string };

const logbookPrefix = '/topic/logbooks/';

/** Finds the topic of a destination. Ignores a leading path, which a proxy may have added. */
export function findTopic(destination: string): Topic | undefined {
  if (destination.endsWith('/web-socket/messages')) return { kind: 'messages' };
  if (destination.endsWith('/web-socket/echo')) return { kind: 'echo' };
  if (destination === '/topic/entries') return { kind: 'entries' };
  const name = destination.startsWith(logbookPrefix) ? foldCase(destination.slice(logbookPrefix.length)) : '';
  return name === '' ? undefined : { kind: 'logbook', name };
}

/** Returns the message that subscribers of the topic receive; undefined when the notification is not for them. */
export function toMessage(
  topic: Topic,
  notification: LiveNotification,
): { readonly contentType: string; readonly body: Buffer } | undefined {
  switch (topic.kind) {
    case 'echo':
      return undefined;
    case 'messages':
      // Existing clients of this topic accept nothing but text.
      return { contentType: 'text/plain', body: notification.changeMessage };
    case 'logbook':
      if (!notification.current || !notification.logbooks.has(topic.name)) return undefined;
      return { contentType: 'application/json', body: notification.current.json };
    case 'entries':
      return notification.current && { contentType: 'application/json', body: notification.current.json };
  }
}
