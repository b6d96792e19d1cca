import { foldCase } from '../../kernel/text.js';
import type { EntryNotification } from '../live/announcement.js';

/** What a client can subscribe to. */
export type Topic =
  | { readonly kind: 'messages' }
  | { readonly kind: 'echo' }
  | { readonly kind: 'entries' }
  | { readonly kind: 'logbook'; readonly name: string };

const logbookPrefix = '/topic/logbooks/';

/** The topic of a destination; what stands before the path of the socket is the business of a proxy. */
export function findTopic(destination: string): Topic | undefined {
  if (destination.endsWith('/web-socket/messages')) return { kind: 'messages' };
  if (destination.endsWith('/web-socket/echo')) return { kind: 'echo' };
  if (destination === '/topic/entries') return { kind: 'entries' };
  const name = destination.startsWith(logbookPrefix) ? foldCase(destination.slice(logbookPrefix.length)) : '';
  return name === '' ? undefined : { kind: 'logbook', name };
}

/** What those who follow the topic are told of a change; undefined: nothing. */
export function messageFor(
  topic: Topic,
  announcement: EntryNotification,
): { readonly contentType: string; readonly body: Buffer } | undefined {
  switch (topic.kind) {
    case 'echo':
      return undefined;
    case 'messages':
      // Its clients read text alone.
      return { contentType: 'text/plain', body: announcement.notice };
    case 'logbook':
      if (!announcement.logbooks.has(topic.name)) return undefined;
      return { contentType: 'application/json', body: announcement.current.json };
    case 'entries':
      return { contentType: 'application/json', body: announcement.current.json };
  }
}
