import { type ThumbnailSize, thumbnailSizes } from '../../attachments/thumbnails.js';
import { errorResponses, notModified, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

export const getThumbnailSchema = {
  tags: ['Attachments'],
  operationId: 'getThumbnail',
  summary: 'Get a thumbnail of an image',
  description:
    'Returns the image as WebP, scaled down to the size and turned upright, never larger than it is; for an animated image, its first frame. 404 for SVG, and for files that are not readable images.',
  params: Type.Object({ attachmentId: Type.String({ description: 'Id of the attachment.' }) }),
  querystring: Type.Object({
    size: Type.Optional(
      Type.Unsafe<ThumbnailSize>({
        type: 'integer',
        enum: [...thumbnailSizes],
        description: 'The largest width and height, in pixels.',
        default: thumbnailSizes[1],
      }),
    ),
  }),
  response: {
    200: {
      description: 'The thumbnail.',
      content: { 'image/webp': { schema: { type: 'string', contentMediaType: 'image/webp' } } },
    },
    ...notModified,
    ...errorResponses(...readErrors, 404),
  },
};
