import { parseSearchThreads } from './setting-parsers.js';
import { count, positiveCount, setting, size } from './setting-types.js';

/** Maximum sizes and numbers of stored items and of concurrent requests. */
export const limitSettings = {
  maxFileSize: {
    ...size('15MB', 'Maximum size of one attachment, at most maxRequestSize.'),
    aliases: ['spring.servlet.multipart.max-file-size'],
  },
  maxRequestSize: {
    ...size('50MB', 'Maximum size of a request with all its attachments.'),
    aliases: ['spring.servlet.multipart.max-request-size'],
  },
  maxEntrySize: size('1MB', 'Maximum size of an entry without its attachments, and of any JSON request body.'),
  maxCatalogNames: count(
    '10000',
    'Maximum number of items in each list of the catalogue: logbooks, tags, levels and properties, inactive ones included.',
  ),
  maxCatalogSize: size('8MB', 'Maximum size of each of these lists.'),
  maxTemplates: count('1000', 'Maximum number of templates.'),
  maxTemplatesSize: size('16MB', 'Maximum size of all templates together.'),
  maxDraftFilesSize: size('500MB', 'Maximum total size of the files in all drafts of one user.'),
  maxWebSocketConnections: {
    ...count('2000', 'Maximum number of open WebSocket connections.'),
    formerNames: ['maxLiveConnections'],
  },
  maxEventStreams: {
    ...count('1000', 'Maximum number of open event streams (Server-Sent Events).'),
    formerNames: ['maxChangeStreams'],
  },
  maxLiveConnectionsPerAddress: {
    ...count('500', 'Maximum number of WebSocket connections and event streams from one client address.'),
    formerNames: ['maxLiveClientsPerAddress'],
  },
  searchThreads: setting(
    'NUMBER',
    '3',
    'Number of threads that search, from 2 to 16. One client uses at most all but one.',
    parseSearchThreads,
  ),
  maxWaitingPerClient: positiveCount(
    '100',
    'Maximum number of waiting requests of each kind per client (several times as many reads and short writes), and of its open long responses and downloads. Further ones get 429.',
  ),
  maxWaitingLongWritesPerClient: positiveCount(
    '16',
    'Maximum number of waiting writes with a body of more than 64 kB per client.',
  ),
} as const;
