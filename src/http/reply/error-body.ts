import { STATUS_CODES } from 'node:http';
import type { FastifyError } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import { describeLimit } from '../../kernel/limit.js';
import { faultStatus } from './fault-status.js';

export const maxParamLength = 4_000;

export interface ErrorBody {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly status: number;
  readonly error: string;
  readonly code: string;
  readonly message: string;
  readonly path: string;
  /** Identifies the error in the log of the service; only for a 5xx. */
  readonly requestId?: string;
}

export function errorBody(
  { status, code, message }: { status: number; code: string; message: string },
  url: string,
  requestId: string | undefined,
): ErrorBody {
  return {
    timestamp: Date.now(),
    status,
    error: STATUS_CODES[status] ?? 'Error',
    code,
    message,
    path: url.split('?', 1)[0]?.slice(0, 2_048) ?? '',
    ...(status >= 500 && requestId !== undefined && { requestId }),
  };
}

/** Returns the status, code and message of an error. An unexpected error becomes a 500 that reveals no internals. */
export function describeError(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof Fault) return { status: faultStatus[error.kind], code: error.code, message: error.message };
  const { code, validation, statusCode } = error as Partial<FastifyError>;
  if (validation) return describeError(validationFault(validation));
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return {
      status: 415,
      code: 'request.content-type',
      message: 'This URL does not accept a body of that content type. The API description lists the accepted one.',
    };
  }
  if (code === 'FST_ERR_BAD_URL') {
    return {
      status: 400,
      code: 'request.bad-url',
      message: 'The URL is not correctly percent-encoded.',
    };
  }
  if (code === 'FST_ERR_ROUTE_MAX_PARAM_LENGTH' || statusCode === 414) {
    return {
      status: 414,
      code: 'request.url-too-long',
      message: `A part of the URL is too long. ${describeLimit({ amount: `${maxParamLength} characters`, setting: undefined, countedFor: 'each part, regardless of the client' })}`,
    };
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return {
      status: statusCode,
      code: 'request.refused',
      message: `The request was refused: ${STATUS_CODES[statusCode]}.`,
    };
  }
  return {
    status: 500,
    code: 'internal',
    // The failure may have happened after the request was stored.
    message:
      'The service failed. Check whether the request took effect before you repeat it, and report the requestId.',
  };
}

type Validation = NonNullable<FastifyError['validation']>;

/** Returns the fault for a body or parameter that does not match its schema. */
export function validationFault(validation: Validation): Fault {
  return new Fault('invalid', 'request.invalid', describeValidation(validation));
}

function describeValidation([first]: Validation): string {
  if (!first) return 'The request does not match the API description.';
  const place = first.instancePath.replace(/^\//, '').replaceAll('/', '.');
  const where = place === '' ? 'The request' : `“${place.slice(0, 200)}”`;
  if (first.keyword === 'required') {
    const missing = String(first.params.missingProperty);
    return `${place === '' ? '' : `${where}: `}“${missing}” is missing.`;
  }
  if (first.keyword === 'type') return `${where} must be of type ${[first.params.type].flat().join(' or ')}.`;
  if (first.keyword === 'enum')
    return `${where} must be one of ${(first.params.allowedValues as unknown[]).join(', ')}.`;
  return `${where} ${first.message}.`;
}
