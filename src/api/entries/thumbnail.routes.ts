import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Attachment } from '../../attachments/attachment.js';
import { type ThumbnailSize, Thumbnails, thumbnailSizes } from '../../attachments/thumbnails.js';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { getReadableAttachment } from '../../entries/find-attachment.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { toReader } from './entry-parameters.js';
import { getThumbnailSchema } from './thumbnail.schema.js';

export interface ThumbnailRoutesDeps {
  readonly storage: Pick<EntryStorage, 'committed'>;
  readonly permissions: Permissions;
  readonly thumbnails: Thumbnails;
}

interface ThumbnailRequest {
  Params: { attachmentId: string };
  Querystring: { size?: ThumbnailSize };
}

/** Routes of thumbnails of images, for users who may read the images. */
export async function thumbnailRoutes(app: FastifyInstance, deps: ThumbnailRoutesDeps): Promise<void> {
  const options = { config: { cost: 'none' }, schema: getThumbnailSchema } as const;
  app.get<ThumbnailRequest>('/attachment/:attachmentId/thumbnail', options, getThumbnailHandler(deps));
}

/** Serves an existing thumbnail in a turn for reads. Creates new thumbnails one at a time for each client. */
const getThumbnailHandler =
  (deps: ThumbnailRoutesDeps) => async (request: FastifyRequest<ThumbnailRequest>, reply: FastifyReply) => {
    const { admission } = request.server;
    const present = await admission.inTurn(request, reply, 'read', async () => {
      const { attachment, size } = await findRequested(deps, request);
      const key = Thumbnails.keyOf(attachment, size);
      if (matchesEntityTag(request.headers['if-none-match'], `"${key}"`)) return { kind: 'current', key } as const;
      return { ...(await deps.thumbnails.find(attachment, size)), key };
    });
    if (present.kind === 'none') throw noThumbnail(request.params.attachmentId);
    if (present.kind === 'current') return setHeaders(deps, reply, present.key).code(304).send();
    if (present.kind === 'made') return sendThumbnail(deps, reply, present.key, present.content);
    const made = await admission.inTurn(request, reply, 'thumbnail', async () => {
      // The attachment is looked up a second time, because the rights of the reader may have changed during the wait.
      const { attachment, size } = await findRequested(deps, request);
      const content = await deps.thumbnails.make(attachment, size);
      if (!content) throw noThumbnail(attachment.id);
      return { key: Thumbnails.keyOf(attachment, size), content };
    });
    return sendThumbnail(deps, reply, made.key, made.content);
  };

async function findRequested(
  deps: ThumbnailRoutesDeps,
  request: FastifyRequest<ThumbnailRequest>,
): Promise<{ readonly attachment: Attachment; readonly size: ThumbnailSize }> {
  const { attachmentId } = request.params;
  const attachment = await getReadableAttachment(deps.storage.committed, toReader(request, deps), attachmentId);
  return { attachment, size: request.query.size ?? thumbnailSizes[1] };
}

function sendThumbnail(deps: ThumbnailRoutesDeps, reply: FastifyReply, key: string, content: Uint8Array): FastifyReply {
  return setHeaders(deps, reply, key).type('image/webp').send(content);
}

function setHeaders({ permissions }: ThumbnailRoutesDeps, reply: FastifyReply, key: string): FastifyReply {
  return reply.headers({
    etag: `"${key}"`,
    'cache-control': permissions.hasReadRestrictions ? 'private, no-cache' : 'private, max-age=31536000, immutable',
    'content-security-policy': "sandbox; default-src 'none'",
  });
}

function noThumbnail(id: string): Fault {
  return new Fault(
    'missing',
    'attachment.no-thumbnail',
    `There is no thumbnail of ${quoted(id)}: it is not a readable image, or this service creates no thumbnails.`,
  );
}
