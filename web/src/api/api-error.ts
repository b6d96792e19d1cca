import { serverMessage } from '../i18n/server-message.ts';

/** Error response of the API, or no response at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** The HTTP status; 0 when the service could not be reached. */
    readonly status: number,
    /** The stable code of the error, such as `entry.unknown-logbook`. */
    readonly code: string,
    message: string,
    /** Id under which the server's log has the details; only for errors of the server. */
    readonly requestId: string | undefined,
    /** The whole body; a 412 contains the current entry. */
    readonly body?: unknown,
  ) {
    super(message);
  }

  get isOffline(): boolean {
    return this.status === 0;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
}

export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const body = parse(text);
  const code = body?.code ?? 'unknown';
  const message = body?.message ? serverMessage(code, body.message) : `${response.status} ${response.statusText}`;
  return new ApiError(response.status, code, message, body?.requestId, body);
}

/** A proxy in between may answer with something other than JSON. */
function parse(text: string): ErrorBody | undefined {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return undefined;
  }
}
