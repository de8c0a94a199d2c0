import { createHash } from 'node:crypto';
import { type Clock, failureCode, type Transport } from '@financing-checkout/kit';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import * as openid from 'openid-client';
import type { SignInSettings } from '../config/sign-in.ts';
import { type Claims, claimAt, isClaims, statedClaims, statesRoles } from './claims.ts';
import { SignInError } from './error.ts';
import { Kept } from './kept.ts';
import { providerKeys } from './keys.ts';

/** Secrets of a pending sign-in, stored by the browser until it returns. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface ProviderTokens {
  accessToken: string;
  /** Identifies the provider's session when the person signs out. */
  idToken: string | undefined;
  refreshToken: string | undefined;
}

/** A person as described by the provider. */
export interface Identity {
  /** The issuer as stated by the provider; may differ from the setting by a trailing slash. */
  issuer: string;
  subject: string;
  /** The provider's ID for its own session (`sid`), if stated. */
  providerSession: string | undefined;
  /** When the ID token was issued, in seconds since 1970. */
  issuedAt: number;
  claims: Claims;
}

export interface SignedIn {
  identity: Identity;
  tokens: ProviderTokens;
}

export interface Confirmation extends Pick<Identity, 'claims' | 'issuedAt'> {
  /** Name of the missing claim if the claims have no roles. Only explicit roles confirm a session. */
  omitted: string;
}

/** The sessions that a logout token ends (OpenID Connect Back-Channel Logout 2.4). */
export interface Logout {
  issuer: string;
  subject: string | undefined;
  providerSession: string | undefined;
  /** Milliseconds since 1970. */
  issuedAt: number;
}

/** The provider's features, for `doctor`. */
export interface ProviderReport {
  hasPkce: boolean;
  hasBackChannelLogout: boolean;
  hasEndSession: boolean;
}

/** The OpenID provider. Its functions throw {@link SignInError}. */
export interface Provider {
  /** Returns the address to which the browser goes to sign in. */
  authorizationUrl(begun: BegunSignIn): Promise<URL>;
  /** Exchanges the code with which the browser returns. @param query of the redirect URI */
  exchange(query: string, begun: BegunSignIn): Promise<SignedIn>;
  /**
   * Returns new tokens for a session. The refresh token may have been used up.
   * @throws {SignInError} `expired`, if the provider has ended the session
   */
  refresh(refreshToken: string): Promise<ProviderTokens>;
  /**
   * Reads the provider's current claims about a person from a new ID token, or else from the userinfo endpoint.
   */
  confirm(
    tokens: ProviderTokens,
    of: Pick<Identity, 'subject' | 'issuedAt'>,
  ): Promise<Confirmation>;
  logout(token: string): Promise<Logout>;
  /** Returns the address at which the browser ends the provider's session, if there is one. */
  endSessionUrl(idToken: string | undefined): Promise<URL | undefined>;
  /** Reads the provider's configuration and keys. */
  report(): Promise<ProviderReport>;
}

export const CALLBACK_PATH = '/console/sign-in/callback';
/** Where people go after signing out. */
const CONSOLE_PATH = '/console/';

const MAX_ANSWER_BYTES = 1_000_000;
const TOLERANCE_SECONDS = 30;
/**
 * Interval after which the configuration is read again, because a provider may change its
 * endpoints.
 */
const DISCOVERY_MS = 3_600_000;
/** A logout token must be recent, so that a copy of it cannot end later sessions. */
const LOGOUT_AGE_SECONDS = 300;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const signatures = ['RS', 'PS', 'ES'].flatMap((family) =>
  [256, 384, 512].map((bits) => `${family}${bits}`),
);
const algorithms = [...signatures, 'EdDSA', 'Ed25519'];

interface Discovered {
  client: openid.Configuration;
  findKey: ReturnType<typeof providerKeys>;
}

/**
 * Creates a client for the configured provider. It sends nothing until used.
 * @param timeoutMs timeout of each request
 */
export function createProvider(
  settings: SignInSettings,
  clock: Clock,
  transport: Transport,
  timeoutMs = 5_000,
): Provider {
  const { clientId, clientSecret, issuer } = settings;
  const redirectUri = new URL(CALLBACK_PATH, settings.url).href;
  const fetch = boundedFetch(transport, timeoutMs);

  async function discover(): Promise<Discovered> {
    const options = { timeout: timeoutMs / 1_000, [openid.customFetch]: fetch };
    const metadata = { [openid.clockTolerance]: TOLERANCE_SECONDS };
    const client = await guarded(() =>
      openid.discovery(new URL(issuer), clientId, metadata, authenticate, options),
    ).catch((error: unknown) => {
      // Any error in the provider's configuration makes sign-in unavailable.
      throw error instanceof SignInError
        ? new SignInError('provider-unavailable', error.reason, error.issuer)
        : error;
    });
    const { jwks_uri: keysUrl } = client.serverMetadata();
    const readKeys = async (): Promise<unknown> => {
      if (keysUrl === undefined || !keysUrl.startsWith('https:'))
        throw new SignInError('provider-unavailable', 'keys-missing');
      const response = await fetch(keysUrl, {
        method: 'GET',
        redirect: 'manual',
        headers: {},
        body: null,
      });
      if (!response.ok) throw new SignInError('provider-unavailable', 'keys-refused');
      return response.json().catch(() => undefined);
    };
    return { client, findKey: providerKeys(readKeys, clock) };
  }

  const discovered = new Kept(discover, clock, DISCOVERY_MS);

  /** Uses the method that the provider accepts. HTTP Basic is OpenID Connect's default. */
  const authenticate: openid.ClientAuth = (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isPost =
      methods?.includes('client_secret_basic') === false && methods.includes('client_secret_post');
    const method =
      clientSecret === undefined
        ? openid.None()
        : isPost
          ? openid.ClientSecretPost(clientSecret.reveal())
          : openid.ClientSecretBasic(clientSecret.reveal());
    method(server, client, body, headers);
  };

  const verifySignature = ({ findKey }: Discovered, token: string, options: JWTVerifyOptions) =>
    guarded(() =>
      jwtVerify(token, findKey, {
        algorithms,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(clock.now()),
        ...options,
      }),
    );

  async function verified(
    current: Discovered,
    token: string,
    typ?: readonly string[],
  ): Promise<JWTPayload & { iat: number }> {
    const { payload, protectedHeader } = await verifySignature(current, token, {
      issuer: current.client.serverMetadata().issuer,
      audience: clientId,
      requiredClaims: ['iat'],
    });
    const { typ: own } = protectedHeader;
    if (typ !== undefined && own !== undefined && !typ.includes(own.toLowerCase())) {
      throw new SignInError('answer-invalid', 'token-type');
    }
    return { ...payload, iat: payload.iat ?? 0 };
  }

  /**
   * Returns the claims from the userinfo endpoint, in JSON or a signed JWT; undefined if the
   * provider has no such endpoint.
   */
  async function userinfo(
    current: Discovered,
    accessToken: string,
    subject: string,
  ): Promise<Claims | undefined> {
    const { issuer: own, userinfo_endpoint: url } = current.client.serverMetadata();
    if (url === undefined) return undefined;
    const headers = new Headers({ accept: 'application/json, application/jwt' });
    const response = await guarded(() =>
      openid.fetchProtectedResource(
        current.client,
        accessToken,
        new URL(url),
        'GET',
        null,
        headers,
      ),
    ).catch((error: unknown) => {
      throw error instanceof SignInError && error.code === 'provider-refused'
        ? accessRefused(error.reason)
        : error;
    });
    const { status } = response;
    if (status === 401 || status === 403) throw accessRefused(`userinfo-status-${status}`);
    if (status !== 200) throw new SignInError('provider-unavailable', `userinfo-status-${status}`);
    const text = await response.text();
    const isJwt = /^application\/jwt\s*(?:;|$)/i.test(response.headers.get('content-type') ?? '');
    const claims = isJwt ? (await verifySignature(current, text, {})).payload : jsonIn(text);
    if (!isClaims(claims)) throw new SignInError('answer-invalid', 'userinfo-unreadable');
    // OpenID Connect Core 5.3.2: a signed answer should have both; an unsigned one has neither.
    const { aud = clientId, iss = own } = isJwt ? claims : {};
    if (claims.sub !== subject || iss !== own || ![aud].flat().includes(clientId)) {
      throw new SignInError('answer-invalid', 'userinfo-of-another');
    }
    return claims;
  }

  return {
    async authorizationUrl({ codeVerifier, nonce, state }) {
      const { client } = await discovered.get();
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      return guarded(() =>
        Promise.resolve(
          openid.buildAuthorizationUrl(client, {
            redirect_uri: redirectUri,
            scope: settings.scope,
            state,
            nonce,
            code_challenge: challenge,
            code_challenge_method: 'S256',
          }),
        ),
      );
    },

    async exchange(query, { codeVerifier, nonce, state }) {
      const current = await discovered.get();
      const url = new URL(redirectUri);
      url.search = query;
      const answer = await guarded(() =>
        openid.authorizationCodeGrant(current.client, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        }),
      );
      const tokens = tokensOf(answer);
      const payload = await verified(current, tokens.idToken ?? '');
      const { iat: issuedAt, sid, sub: subject = '' } = payload;
      const isComplete =
        statesRoles(payload, settings) && claimAt(payload, settings.nameClaim) !== undefined;
      const more = isComplete ? {} : await userinfo(current, tokens.accessToken, subject);
      const claims = statedClaims([payload, more ?? {}], settings);
      const { issuer: own } = current.client.serverMetadata();
      return {
        identity: { issuer: own, subject, providerSession: textOf(sid), issuedAt, claims },
        tokens,
      };
    },

    async refresh(refreshToken) {
      const { client } = await discovered.get();
      return tokensOf(await guarded(() => openid.refreshTokenGrant(client, refreshToken)));
    },

    async confirm({ accessToken, idToken }, { issuedAt, subject }) {
      const current = await discovered.get();
      const payload = idToken === undefined ? undefined : await verified(current, idToken);
      if (payload !== undefined && payload.sub !== subject) {
        throw new SignInError('answer-invalid', 'other-subject');
      }
      // OpenID Connect Core 12.2: a new ID token states when it was issued.
      const isNew = payload !== undefined && payload.iat > issuedAt;
      if (isNew && statesRoles(payload, settings)) {
        return { claims: payload, issuedAt: payload.iat, omitted: '' };
      }
      const more = await userinfo(current, accessToken, subject);
      const sources = [...(isNew ? [payload] : []), ...(more === undefined ? [] : [more])];
      const ofToken = payload === undefined ? 'no ID token' : 'no new ID token';
      const omitted = [
        isNew ? 'no roles in the ID token' : ofToken,
        more === undefined ? 'no userinfo endpoint' : 'no roles at the userinfo endpoint',
      ].join(', ');
      const claims = statedClaims(sources, settings);
      return { claims, issuedAt: isNew ? payload.iat : issuedAt, omitted };
    },

    async logout(token) {
      const current = await discovered.get();
      const payload = await verified(current, token, ['logout+jwt', 'jwt']);
      const { iat, events, nonce, sub, sid } = payload;
      const age = clock.now() / 1_000 - iat;
      const isLogout =
        typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
      const subject = textOf(sub);
      const providerSession = textOf(sid);
      if (
        !isLogout ||
        nonce !== undefined ||
        (subject === undefined && providerSession === undefined) ||
        age > LOGOUT_AGE_SECONDS + TOLERANCE_SECONDS
      ) {
        throw new SignInError('answer-invalid', 'logout-token');
      }
      const { issuer: own } = current.client.serverMetadata();
      return { issuer: own, subject, providerSession, issuedAt: iat * 1_000 };
    },

    async endSessionUrl(idToken) {
      const { client } = await discovered.get();
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined;
      return openid.buildEndSessionUrl(client, {
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
        post_logout_redirect_uri: new URL(CONSOLE_PATH, settings.url).href,
      });
    },

    async report() {
      const { client, findKey } = await discovered.get();
      const server = client.serverMetadata();
      // The key is unknown even after the provider's keys were read again.
      await guarded(() =>
        Promise.resolve(findKey({ alg: 'RS256', kid: 'doctor' }, { payload: '', signature: '' })),
      ).catch((error: unknown) => {
        if (!(error instanceof SignInError) || error.code !== 'answer-invalid') throw error;
      });
      return {
        hasPkce: server.code_challenge_methods_supported?.includes('S256') ?? false,
        hasBackChannelLogout: server.backchannel_logout_supported === true,
        hasEndSession: server.end_session_endpoint !== undefined,
      };
    },
  };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const tokensOf = (answer: {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
}): ProviderTokens => ({
  accessToken: answer.access_token,
  idToken: answer.id_token,
  refreshToken: answer.refresh_token,
});

/** The access token is new, so its refusal means that the provider has ended the session. */
const accessRefused = (reason: string) => new SignInError('expired', reason);

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Response headers that the library needs. */
const headerNames = ['content-type', 'www-authenticate'];

/** Returns a `fetch` that reads an answer of limited size within the timeout. */
function boundedFetch(transport: Transport, timeoutMs: number): openid.CustomFetch {
  return async (url, { body, headers, method, signal = AbortSignal.timeout(timeoutMs) }) => {
    const chunks: Uint8Array[] = [];
    const answered = new Headers();
    let status: number;
    try {
      const answer = await transport(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
        redirect: 'manual',
        signal,
      });
      ({ status } = answer);
      for (const name of headerNames) {
        const value = answer.headers.get(name);
        if (value !== null) answered.set(name, value);
      }
      let bytes = 0;
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES)
          throw new SignInError('provider-unavailable', 'answer-too-large');
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof SignInError) throw error;
      const reason = signal.aborted ? 'timeout' : (failureCode(error) ?? 'no-answer');
      throw new SignInError('provider-unavailable', reason);
    }
    const isEmpty = [101, 204, 205, 304].includes(status);
    return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: answered });
  };
}

/** Library errors caused by the provider or the network rather than by the answer's content. */
const unavailable = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);
const refusals = new Map<string, SignInError['code']>([
  ['access_denied', 'cancelled'],
  ['invalid_grant', 'expired'],
  ['server_error', 'provider-unavailable'],
  ['temporarily_unavailable', 'provider-unavailable'],
]);

/** Runs work with the libraries, whose errors may contain tokens and claims. */
async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw signInErrorOf(error);
  }
}

function signInErrorOf(error: unknown): unknown {
  if (error instanceof SignInError) return error;
  if (
    error instanceof openid.AuthorizationResponseError ||
    error instanceof openid.ResponseBodyError
  ) {
    return refusal(error.error);
  }
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    return refusal(error.cause.at(0)?.parameters.error ?? 'unauthorized');
  }
  if (error instanceof openid.ClientError) {
    if (error.cause instanceof SignInError) return error.cause;
    const { code = 'unknown' } = error;
    const found = unavailable.has(code) ? 'provider-unavailable' : 'answer-invalid';
    return new SignInError(found, code, otherIssuerIn(error));
  }
  if (error instanceof errors.JOSEError) return new SignInError('answer-invalid', error.code);
  return error;
}

/** Returns the provider's issuer if it is not the expected one. */
function otherIssuerIn(error: Error): string | undefined {
  const causes = [error.cause, error.cause instanceof Error ? error.cause.cause : undefined];
  for (const cause of causes) {
    if (claimAt(cause, 'attribute') === 'issuer') return textOf(claimAt(cause, 'body.issuer'));
    if (claimAt(cause, 'claim') === 'iss') return textOf(claimAt(cause, 'claims.iss'));
  }
  return undefined;
}

/** Restricts OAuth error codes to the characters of RFC 6749 5.2, so that no other text gets into a log. */
const refusal = (code: string) =>
  new SignInError(
    refusals.get(code) ?? 'provider-refused',
    /^[a-z_]{1,60}$/.test(code) ? code : 'refused',
  );
