import { Ber, ProtocolOperation } from 'ldapts';
import { isSecret, parseAttributeName } from './attribute-name.js';
import { BerReader, MalformedMessage } from './ber-reader.js';
import { type Directory, type Entry, findAttributes } from './directory.js';
import type { FairScheduler } from './fair-scheduler.js';
import type { Limits } from './limits.js';
import { equalityRule } from './matching-rule.js';
import { type Request, type ResponseParts, writeResponse } from './message.js';
import type { PasswordCheck } from './password-check.js';
import { LdapResultError, type Result, resultCode } from './result.js';
import { controls, extensions, noSuchObject, search } from './search.js';
import { parseDn, readPage, readSearchRequest, writeCookie } from './search-request.js';

/** Dependencies that all sessions share. */
export interface SessionDeps {
  readonly directory: Directory;
  readonly passwords: PasswordCheck;
  readonly scheduler: FairScheduler;
  readonly limits: Limits;
  readonly log: (message: string, error: unknown) => void;
}

export interface Exchange {
  readonly request: Request;
  /** Resolves when more data may be sent. */
  readonly send: (message: Buffer) => Promise<void>;
  /** Aborted when the client abandons the request or disconnects. Nothing is sent afterwards. */
  readonly signal: AbortSignal;
}

type Response = Result & ResponseParts;

const responseTags = new Map<number, number>([
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
/** Result for both an unknown name and a wrong password. */
const invalidCredentials: Result = { code: resultCode.invalidCredentials, message: 'Wrong name or password.' };

/** The state of one connection, its bound user, and the handling of its requests, one at a time. */
export class Session {
  private user: Entry | undefined;

  constructor(private readonly deps: SessionDeps) {}

  /** @throws MalformedMessage for an unknown operation */
  async handle(exchange: Exchange): Promise<void> {
    const { request, send, signal } = exchange;
    const tag = responseTags.get(request.operation);
    if (tag === undefined) throw new MalformedMessage('unknown operation');
    let response: Response;
    try {
      response = await this.perform(exchange);
    } catch (error) {
      if (signal.aborted) return;
      response = this.toResult(error);
    }
    if (!signal.aborted) await send(writeResponse(request.messageId, tag, response, response));
  }

  private perform(exchange: Exchange): Response | Promise<Response> {
    const { operation, content } = exchange.request;
    // A failed bind leaves the connection anonymous (RFC 4511, section 4.2.1), whatever the reason.
    if (operation === ProtocolOperation.LDAP_REQ_BIND) this.user = undefined;
    checkControls(exchange.request);
    switch (operation) {
      case ProtocolOperation.LDAP_REQ_BIND:
        return this.bind(new BerReader(content), exchange.signal);
      case ProtocolOperation.LDAP_REQ_SEARCH:
        return this.search(exchange);
      case ProtocolOperation.LDAP_REQ_COMPARE:
        return this.compare(new BerReader(content));
      case ProtocolOperation.LDAP_REQ_EXTENSION:
        return this.extended(new BerReader(content));
      default:
        return { code: resultCode.unwillingToPerform, message: 'This directory is read-only.' };
    }
  }

  private async bind(reader: BerReader, signal: AbortSignal): Promise<Result> {
    const version = reader.readInteger();
    const name = parseDn(reader.readText());
    if (version !== 3) return { code: resultCode.protocolError, message: 'Only LDAP version 3 is supported.' };
    if (reader.nextTag !== Ber.Context) {
      return { code: resultCode.authMethodNotSupported, message: 'Only simple binds are supported.' };
    }
    const password = reader.readBytes(Ber.Context);
    if (password.length === 0) {
      if (name.length === 0) return success;
      return { code: resultCode.unwillingToPerform, message: 'A bind with a name requires a password.' };
    }
    const entry = this.deps.directory.find(name);
    const isMatch = await this.deps.passwords.matchesAny(entry?.passwords ?? [], password, signal);
    if (!entry || !isMatch) return invalidCredentials;
    this.user = entry;
    return success;
  }

  private async search({ request, send, signal }: Exchange): Promise<Response> {
    const searchRequest = readSearchRequest(new BerReader(request.content));
    const page = readPage(request.controls.find(({ oid }) => oid === controls.pagedResults));
    const { directory, scheduler, limits } = this.deps;
    const next = await search(directory, scheduler, {
      messageId: request.messageId,
      request: searchRequest,
      page,
      timeoutMs: limits.searchTimeoutMs,
      send,
      signal,
    });
    return { ...success, cookie: page && writeCookie(next) };
  }

  private compare(reader: BerReader): Result {
    const name = parseDn(reader.readText());
    const assertion = reader.readConstructed();
    const attribute = parseAttributeName(assertion.readText());
    const value = assertion.readBytes();
    const entry = this.deps.directory.find(name);
    if (!entry) throw noSuchObject(this.deps.directory, name);
    const stored = attribute && !isSecret(attribute) ? findAttributes(entry, attribute) : [];
    if (!attribute || stored.length === 0) {
      return { code: resultCode.noSuchAttribute, message: 'The entry has no such attribute.' };
    }
    const normalized = equalityRule(attribute.type).normalize(value);
    const isEqual = normalized !== undefined && stored.some(({ normalizedValues }) => normalizedValues.has(normalized));
    return { code: isEqual ? resultCode.compareTrue : resultCode.compareFalse };
  }

  private extended(reader: BerReader): Response {
    if (reader.readText(0x80) !== extensions.whoAmI) {
      return { code: resultCode.protocolError, message: 'This extended operation is not supported.' };
    }
    return { ...success, extension: { value: this.user ? `dn:${this.user.dn}` : '' } };
  }

  private toResult(error: unknown): Result {
    if (error instanceof LdapResultError) return error;
    if (error instanceof MalformedMessage) {
      return { code: resultCode.protocolError, message: `Malformed request: ${error.message}.` };
    }
    this.deps.log('LDAP request failed', error);
    return { code: resultCode.other, message: 'Internal error; see the server log.' };
  }
}

function checkControls({ operation, controls: requested }: Request): void {
  const isSearch = operation === ProtocolOperation.LDAP_REQ_SEARCH;
  const supported: readonly string[] = isSearch ? Object.values(controls) : [controls.manageDsaIt];
  if (requested.some(({ oid, isCritical }) => isCritical && !supported.includes(oid))) {
    throw new LdapResultError(resultCode.unavailableCriticalExtension, 'A critical control is not supported.');
  }
}
