import { createRequire } from 'node:module';
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler';
import type { FastifyInstance } from 'fastify';
import { nextRound } from '../../kernel/time-slice.js';
import { validationFault } from '../reply/error-body.js';

/** Fields that Fastify passes to a compiler, but that its types lack. */
interface SchemaLocation {
  readonly httpPart?: string;
  readonly contentType?: string;
}

type Compiler = ReturnType<BuildCompilerFromPool>;
type Validator = ReturnType<Compiler>;

/** Loads the compiler on first use, so that it does not delay the start. */
function loadAjv(): typeof import('@fastify/ajv-compiler') {
  return createRequire(import.meta.url)('@fastify/ajv-compiler');
}

/**
 * The validators of all routes. Parameters arrive as text and are converted to the type of their schema. A number
 * instead of a string is an error in a JSON body. The schema of a form is only documentation: its handler parses and
 * checks the form as it arrives.
 */
export class SchemaValidators {
  private compilers: BuildCompilerFromPool | undefined;
  private uncompiled: (() => unknown)[] = [];

  /** Makes the validators of the routes of one scope. Each is compiled when it is first needed. */
  readonly buildValidator: BuildCompilerFromPool = (externalSchemas) => {
    const build = (coerceTypes: boolean | 'array') => {
      this.compilers ??= loadAjv().AjvCompiler();
      return this.compilers(externalSchemas, {
        customOptions: { useDefaults: true, allErrors: false, allowUnionTypes: true, coerceTypes },
      });
    };
    let compileBody: Compiler | undefined;
    let compileParameters: Compiler | undefined;
    const acceptAny = (() => true) as unknown as Validator;
    return (route: Parameters<Compiler>[0] & SchemaLocation) => {
      if (route.contentType === 'multipart/form-data') return acceptAny;
      return this.compiledOnce(() => {
        if (route.httpPart === 'body') {
          compileBody ??= build(false);
          return compileBody(route);
        }
        compileParameters ??= build('array');
        return compileParameters(route);
      });
    };
  };

  /**
   * Compiles the schemas that no request has needed yet, one per round of the event loop, until `signal` aborts.
   * @throws Error when a schema is not valid
   */
  async compileAll(signal: AbortSignal): Promise<void> {
    const waiting = this.uncompiled;
    this.uncompiled = [];
    for (const compile of waiting) {
      compile();
      await nextRound();
      if (signal.aborted) return;
    }
  }

  private compiledOnce(compile: () => Validator): Validator {
    let compiled: Validator | undefined;
    const compileNow = () => {
      compiled ??= compile();
      return compiled;
    };
    const validate = ((value: unknown) => {
      const isValid = compileNow()(value);
      validate.errors = compiled?.errors ?? null;
      return isValid;
    }) as Validator;
    this.uncompiled.push(compileNow);
    return validate;
  }
}

/**
 * Returns the validator of a JSON value that a handler reads itself, such as a part of a form. The schema is compiled
 * only once, because compiling takes milliseconds, and memory that the compiler never releases. The validator throws
 * Fault invalid `request.invalid`.
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
