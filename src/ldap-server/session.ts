import { Ber, ProtocolOperation } from 'ldapts';
import { isSecret, parseAttributeName } from './attribute-name.js';
import { Elements, MalformedMessage } from './ber-reader.js';
import { attributesNamed, type Directory, type Entry } from './directory.js';
import type { FairScheduler } from './fair-scheduler.js';
import type { Limits } from './limits.js';
import { ruleOfType } from './matching-rule.js';
import { type Request, type ResponseParts, writeResponse } from './message.js';
import type { PasswordCheck } from './password-check.js';
import { Refusal, type Result, resultCode } from './result.js';
import { controls, extensions, search } from './search.js';
import { readName, readPage, readSearchRequest, writeCookie } from './search-request.js';

/** What all the sessions work with. */
export interface SessionDeps {
  readonly directory: Directory;
  readonly passwords: PasswordCheck;
  readonly turns: FairScheduler;
  readonly limits: Limits;
  readonly log: (message: string, error: unknown) => void;
}

export interface Exchange {
  readonly request: Request;
  /** Resolves when more may be sent. */
  readonly send: (message: Buffer) => Promise<void>;
  /** Says that the client does not want the answer any more. */
  readonly signal: AbortSignal;
}

type Answer = Result & ResponseParts;

const responses = new Map<number, number>([
  [ProtocolOperation.LDAP_REQ_BIND, ProtocolOperation.LDAP_RES_BIND],
  [ProtocolOperation.LDAP_REQ_SEARCH, ProtocolOperation.LDAP_RES_SEARCH],
  [ProtocolOperation.LDAP_REQ_MODIFY, ProtocolOperation.LDAP_RES_MODIFY],
  [ProtocolOperation.LDAP_REQ_ADD, ProtocolOperation.LDAP_RES_ADD],
  [ProtocolOperation.LDAP_REQ_DELETE, ProtocolOperation.LDAP_RES_DELETE],
  [ProtocolOperation.LDAP_REQ_MODRDN, ProtocolOperation.LDAP_RES_MODRDN],
  [ProtocolOperation.LDAP_REQ_COMPARE, ProtocolOperation.LDAP_RES_COMPARE],
  [ProtocolOperation.LDAP_REQ_EXTENSION, ProtocolOperation.LDAP_RES_EXTENSION],
]);

const success: Result = { code: resultCode.success };
/** The same for an unknown name and a wrong password. */
const wrongCredentials: Result = { code: resultCode.invalidCredentials, message: 'The name or the password is wrong.' };

/** One client's conversation with the directory: who it is, and the answers to its requests, one at a time. */
export class Session {
  private user: Entry | undefined;

  constructor(private readonly deps: SessionDeps) {}

  /** @throws MalformedMessage when there is no such operation */
  async answer({ request, send, signal }: Exchange): Promise<void> {
    const tag = responses.get(request.operation);
    if (tag === undefined) throw new MalformedMessage('there is no such operation');
    let answer: Answer;
    try {
      answer = await this.perform({ request, send, signal });
    } catch (error) {
      // Whatever became of it, nobody is told any more.
      if (signal.aborted) return;
      answer = this.resultOf(error);
    }
    if (!signal.aborted) await send(writeResponse(request.messageId, tag, answer, answer));
  }

  private perform(exchange: Exchange): Answer | Promise<Answer> {
    const { operation, content } = exchange.request;
    // An unsuccessful sign-in leaves nobody signed in, whatever the reason.
    if (operation === ProtocolOperation.LDAP_REQ_BIND) this.user = undefined;
    checkControls(exchange.request);
    switch (operation) {
      case ProtocolOperation.LDAP_REQ_BIND:
        return this.bind(new Elements(content), exchange.signal);
      case ProtocolOperation.LDAP_REQ_SEARCH:
        return this.search(exchange);
      case ProtocolOperation.LDAP_REQ_COMPARE:
        return this.compare(new Elements(content));
      case ProtocolOperation.LDAP_REQ_EXTENSION:
        return this.extended(new Elements(content));
      default:
        return { code: resultCode.unwillingToPerform, message: 'This directory is read-only.' };
    }
  }

  private async bind(elements: Elements, signal: AbortSignal): Promise<Result> {
    const version = elements.integer();
    const name = readName(elements.text());
    if (version !== 3) return { code: resultCode.protocolError, message: 'Only version 3 of LDAP is known.' };
    if (elements.tag !== Ber.Context) {
      return {
        code: resultCode.authMethodNotSupported,
        message: 'Only simple sign-ins, by name and password, are known.',
      };
    }
    const password = elements.bytes(Ber.Context);
    if (password.length === 0) {
      if (name.length === 0) return success;
      return { code: resultCode.unwillingToPerform, message: 'A sign-in with a name needs a password.' };
    }
    const entry = this.deps.directory.find(name);
    const isRight = await this.deps.passwords.isOneOf(entry?.passwords ?? [], password, signal);
    if (!entry || !isRight) return wrongCredentials;
    this.user = entry;
    return success;
  }

  private async search({ request, send, signal }: Exchange): Promise<Answer> {
    const searchRequest = readSearchRequest(new Elements(request.content));
    const page = readPage(request.controls.find(({ oid }) => oid === controls.pagedResults));
    const { directory, turns, limits } = this.deps;
    const next = await search(directory, turns, {
      messageId: request.messageId,
      request: searchRequest,
      page,
      maxMs: limits.searchMs,
      send,
      signal,
    });
    return { ...success, cookie: page && writeCookie(next) };
  }

  private compare(elements: Elements): Result {
    const name = readName(elements.text());
    const assertion = elements.within();
    const attribute = parseAttributeName(assertion.text());
    const value = assertion.bytes();
    const entry = this.deps.directory.find(name);
    if (!entry) {
      throw new Refusal(resultCode.noSuchObject, 'There is no such entry.', this.deps.directory.findAbove(name)?.dn);
    }
    const held = attribute && !isSecret(attribute) ? attributesNamed(entry, attribute) : [];
    if (!attribute || held.length === 0) {
      return { code: resultCode.noSuchAttribute, message: 'The entry has no such attribute.' };
    }
    const key = ruleOfType(attribute.type).keyOf(value);
    const isEqual = key !== undefined && held.some(({ keys }) => keys.has(key));
    return { code: isEqual ? resultCode.compareTrue : resultCode.compareFalse };
  }

  private extended(elements: Elements): Answer {
    if (elements.text(0x80) !== extensions.whoAmI) {
      return { code: resultCode.protocolError, message: 'There is no such extension here.' };
    }
    return { ...success, extension: { value: this.user ? `dn:${this.user.dn}` : '' } };
  }

  private resultOf(error: unknown): Result {
    if (error instanceof Refusal) return error;
    if (error instanceof MalformedMessage) {
      return { code: resultCode.protocolError, message: `The request cannot be read: ${error.message}.` };
    }
    this.deps.log('a request to the embedded directory failed', error);
    return { code: resultCode.other, message: 'The request failed. The log of the service says why.' };
  }
}

function checkControls({ operation, controls: asked }: Request): void {
  const isSearch = operation === ProtocolOperation.LDAP_REQ_SEARCH;
  const known: readonly string[] = isSearch ? Object.values(controls) : [controls.manageDsaIt];
  const missing = asked.find(({ oid, isCritical }) => isCritical && !known.includes(oid));
  if (missing) {
    throw new Refusal(resultCode.unavailableCriticalExtension, 'The request needs a control that there is not here.');
  }
}
