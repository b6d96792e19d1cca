import type { FastifyRequest } from 'fastify';
import { type CreateEntry, type CreateEntryDeps, createEntry } from '../../entries/create-entry.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import { isReadable } from '../../entries/readable-entries.js';
import { writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { toReader } from './entry-parameters.js';
import { storedEntries, storedUnreadable } from './stored-entries.js';

/**
 * Creates an entry, only once for each idempotency key.
 * @param bodyDigest digest of the body; default: that of the JSON body
 * @throws Fault as `createEntry` and `writeOnce`
 */
export function createOnce(
  deps: CreateEntryDeps,
  request: FastifyRequest,
  create: CreateEntry,
  bodyDigest?: string,
): Promise<StoredEntry> {
  return writeOnce(
    deps.storage,
    keyedRequest(request, deps, bodyDigest),
    {
      ...storedEntries(deps, request),
      // Earlier releases stored the key with the entry, permanently and without a fingerprint.
      findUnrecorded: async (tx, { writer, key }) => {
        const stored = await tx.entries.findCreatedUnder(writer.userName, key);
        const isHidden = stored && !(await isReadable(tx.entries, toReader(request, deps), stored.id));
        if (isHidden) throw storedUnreadable(stored.id);
        return stored;
      },
    },
    (storage) => createEntry({ ...deps, storage }, create),
  );
}
