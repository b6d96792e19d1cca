import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ThumbnailSize, type Thumbnails, thumbnailSizes } from '../../attachments/thumbnails.js';
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

/** Thumbnails of images, for those who may read the images. */
export async function thumbnailRoutes(app: FastifyInstance, deps: ThumbnailRoutesDeps): Promise<void> {
  const config = { admission: 'thumbnail' } as const;
  app.get('/attachment/:attachmentId/thumbnail', { config, schema: getThumbnailSchema }, getThumbnailHandler(deps));
}

const getThumbnailHandler =
  (deps: ThumbnailRoutesDeps) => async (request: FastifyRequest<ThumbnailRequest>, reply: FastifyReply) => {
    const { attachmentId } = request.params;
    const { size = thumbnailSizes[1] } = request.query;
    const reader = toReader(request, deps);
    const attachment = await getReadableAttachment(deps.storage.committed, reader, attachmentId);
    const etag = `"${attachment.checksum}-${size}"`;
    const isCurrent = matchesEntityTag(request.headers['if-none-match'], etag);
    const thumbnail = isCurrent ? undefined : await deps.thumbnails.find(attachment, size);
    if (!isCurrent && !thumbnail) throw noThumbnail(attachmentId);
    const isPermanent = !deps.permissions.hasReadRestrictions;
    reply.headers({
      etag,
      'cache-control': isPermanent ? 'private, max-age=31536000, immutable' : 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    return thumbnail ? reply.type('image/webp').send(thumbnail) : reply.code(304).send();
  };

function noThumbnail(id: string): Fault {
  return new Fault(
    'missing',
    'attachment.no-thumbnail',
    `There is no thumbnail of ${quoted(id)}: it is no image, or cannot be read as one, or this service makes none.`,
  );
}
