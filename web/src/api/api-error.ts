import i18next from 'i18next';
import { serverMessage } from '../i18n/server-message.ts';

/** Error response of the API, or no response at all. Its message is in the language of the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  private constructor(
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

  /** The service could not be reached, or did not answer in time. */
  static unreachable(): ApiError {
    return new ApiError(0, 'network', i18next.t('signInPage.offline'), undefined);
  }

  static async of(response: Response): Promise<ApiError> {
    const text = await response.text().catch(() => '');
    const body = parse(text);
    const code = body?.code ?? 'unknown';
    const message = body?.message ? serverMessage(code, body.message) : textOfStatus(response);
    return new ApiError(response.status, code, message, body?.requestId, body);
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

/** Explains an answer that is not one of the service, for example of a proxy whose service is down. */
function textOfStatus({ status, statusText }: Response): string {
  return status < 500 ? `${status} ${statusText}` : `${i18next.t('problem.faultTitle')} (${status})`;
}

/** Returns the message of an error, which for a request is in the language of the page. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A proxy in between may answer with something other than JSON. */
function parse(text: string): ErrorBody | undefined {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return undefined;
  }
}
