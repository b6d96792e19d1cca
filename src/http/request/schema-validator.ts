import { AjvCompiler, type BuildCompilerFromPool } from '@fastify/ajv-compiler';
import type { FastifyInstance } from 'fastify';
import { validationFault } from '../reply/error-body.js';

/** What Fastify passes to a compiler besides the fields that its types name. */
interface SchemaLocation {
  readonly httpPart?: string;
  readonly contentType?: string;
}

/**
 * Builds the compiler of the validators of all routes. Parameters arrive as text and are converted to the type of
 * their schema; in a JSON body a number in place of a string is an error. The schema of a form is documentation only:
 * its handler parses and checks the form as it arrives.
 */
export function validatorFactory(): BuildCompilerFromPool {
  const factory = AjvCompiler();
  return (externalSchemas) => {
    const build = (coerceTypes: boolean | 'array') =>
      factory(externalSchemas, {
        customOptions: { useDefaults: true, allErrors: false, allowUnionTypes: true, coerceTypes },
      });
    const compileBody = build(false);
    const compileParameters = build('array');
    const acceptAny = (() => true) as unknown as ReturnType<typeof compileBody>;
    return (route: Parameters<typeof compileBody>[0] & SchemaLocation) => {
      if (route.contentType === 'multipart/form-data') return acceptAny;
      return route.httpPart === 'body' ? compileBody(route) : compileParameters(route);
    };
  };
}

/**
 * Returns the validator of a JSON value that a handler reads itself, such as a part of a form. The schema is compiled
 * once, before the first request: compiling it for each request would take milliseconds and memory that the compiler
 * never releases. The validator throws Fault invalid `request.invalid`.
 */
export function jsonValidator<T>(app: FastifyInstance, schema: object): (value: unknown) => T {
  let validate: ReturnType<NonNullable<FastifyInstance['validatorCompiler']>> | undefined;
  // The compiler of the application exists only after all its schemas and routes are registered.
  app.addHook('onReady', async () => {
    validate = app.validatorCompiler?.({ schema, method: '', url: '', httpPart: 'body' });
  });
  return (value) => {
    if (!validate) throw new Error('a JSON validator is not usable before the application is ready');
    if (!validate(value)) throw validationFault(validate.errors ?? []);
    return value as T;
  };
}
