import { ApiError } from '../api/api-error.ts';
import type { Attachment } from '../api/types.ts';
import { fileUrl } from './file-list.tsx';

/** @throws ApiError */
export async function fetchFile(file: Attachment, init: RequestInit): Promise<Response> {
  const response = await fetch(fileUrl(file, true), init).catch((error: unknown) => {
    if (error instanceof DOMException) throw error;
    throw ApiError.unreachable();
  });
  if (!response.ok) throw await ApiError.of(response);
  return response;
}

/** The encoding that the server names for a text. */
export function charsetOf(response: Response): string {
  const [, charset = 'utf-8'] = /charset=([\w-]+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  return charset.toLowerCase();
}
