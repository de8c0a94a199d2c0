import { createHash } from 'node:crypto';
import type { Clock } from '@financing-checkout/kit';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import * as openid from 'openid-client';
import { z } from 'zod';
import type { SignInSettings } from '../config/sign-in.ts';
import { type Claims, claimAt } from './claims.ts';
import { SignInError } from './error.ts';
import { providerKeys } from './keys.ts';

/** Secrets of a sign-in that has begun, which the browser keeps until it returns. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The provider's tokens of a session. */
export const providerTokensSchema = z.object({
  /** Identifies the session at sign-out. */
  idToken: z.string(),
  refreshToken: z.string().optional(),
});
export type ProviderTokens = z.infer<typeof providerTokensSchema>;

/** A person, as the provider describes them. */
export interface Identity {
  /** As the provider states it, which may differ from the setting by a final slash. */
  issuer: string;
  subject: string;
  /** The provider's id of its session (`sid`), if it states one. */
  providerSession: string | undefined;
  claims: Claims;
}

export interface SignedIn {
  identity: Identity;
  tokens: ProviderTokens;
}

/** The sessions that a logout token ends (OpenID Connect Back-Channel Logout 2.4). */
export interface Logout {
  issuer: string;
  subject: string | undefined;
  providerSession: string | undefined;
  /** Milliseconds since 1970. */
  issuedAt: number;
}

/** What the provider offers, for `doctor`. */
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
   * Asks the provider to confirm a session. The claims are undefined if the provider states none at
   * a refresh.
   * @throws {SignInError} `expired`, if the provider has ended the session
   */
  refresh(
    refreshToken: string,
    of: { subject: string; idToken: string },
  ): Promise<{
    claims: Claims | undefined;
    tokens: ProviderTokens;
  }>;
  /** Verifies a logout token. */
  logout(token: string): Promise<Logout>;
  /** Returns the address at which the browser ends the provider's session, if there is one. */
  endSessionUrl(tokens: ProviderTokens): Promise<URL | undefined>;
  /** Reads the configuration and the keys of the provider. */
  report(): Promise<ProviderReport>;
}

export const CALLBACK_PATH = '/console/sign-in/callback';
/** Where people go after a sign-out. */
const CONSOLE_PATH = '/console/';

const MAX_ANSWER_BYTES = 1_000_000;
const TOLERANCE_SECONDS = 30;
/** A provider may change its endpoints. */
const DISCOVERY_MS = 3_600_000;
/** A logout token must be recent, so that a copy of it does not end later sessions. */
const LOGOUT_AGE_SECONDS = 300;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const signatures = ['RS', 'PS', 'ES'].flatMap((family) =>
  [256, 384, 512].map((bits) => `${family}${bits}`),
);
const algorithms = [...signatures, 'EdDSA', 'Ed25519'];

interface Discovered {
  client: openid.Configuration;
  findKey: ReturnType<typeof providerKeys>;
  at: number;
}

/**
 * Creates the client of the configured provider. It sends nothing until it is used.
 * @param timeoutMs of each request
 */
export function createProvider(
  settings: SignInSettings,
  clock: Clock,
  timeoutMs = 5_000,
): Provider {
  const { clientId, clientSecret, issuer } = settings;
  const redirectUri = new URL(CALLBACK_PATH, settings.url).href;
  let discovered: Promise<Discovered> | undefined;

  async function discover(): Promise<Discovered> {
    const client = await guarded(() =>
      openid.discovery(
        new URL(issuer),
        clientId,
        { [openid.clockTolerance]: TOLERANCE_SECONDS },
        authenticate,
        { timeout: timeoutMs / 1_000, [openid.customFetch]: boundedFetch },
      ),
    ).catch((error: unknown) => {
      // Whatever its configuration lacks, no person can sign in.
      throw error instanceof SignInError
        ? new SignInError('provider-unavailable', error.reason)
        : error;
    });
    const { jwks_uri: keysUrl } = client.serverMetadata();
    const readKeys = async (): Promise<unknown> => {
      if (keysUrl === undefined || !keysUrl.startsWith('https:'))
        throw new SignInError('provider-unavailable', 'keys-missing');
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await guarded(() =>
        boundedFetch(keysUrl, {
          method: 'GET',
          redirect: 'manual',
          headers: {},
          body: null,
          signal,
        }),
      );
      if (!response.ok) throw new SignInError('provider-unavailable', 'keys-refused');
      return response.json().catch(() => undefined);
    };
    return { client, findKey: providerKeys(readKeys, clock), at: clock.now() };
  }

  /** Uses the method that the provider accepts; HTTP Basic is the default of OpenID Connect. */
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

  async function ready(): Promise<Discovered> {
    const earlier = discovered;
    const current = await earlier?.catch(() => undefined);
    const age = clock.now() - (current?.at ?? 0);
    if (current !== undefined && age >= 0 && age < DISCOVERY_MS) return current;
    // Concurrent requests share one discovery. The next request repeats a failed one.
    if (discovered === earlier || discovered === undefined) discovered = discover();
    return discovered;
  }

  async function verified(
    { client, findKey }: Discovered,
    token: string,
    typ?: readonly string[],
  ): Promise<JWTPayload> {
    const { payload, protectedHeader } = await guarded(() =>
      jwtVerify(token, findKey, {
        issuer: client.serverMetadata().issuer,
        audience: clientId,
        algorithms,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(clock.now()),
        requiredClaims: ['iat'],
      }),
    );
    const { typ: own } = protectedHeader;
    if (typ !== undefined && own !== undefined && !typ.includes(own.toLowerCase())) {
      throw new SignInError('answer-invalid', 'token-type');
    }
    return payload;
  }

  /** Returns the claims of a verified ID token, and those that only the userinfo endpoint states. */
  async function claimsOf(
    { client }: Discovered,
    payload: JWTPayload,
    accessToken: string,
  ): Promise<Claims> {
    const isComplete = [settings.rolesClaim, settings.nameClaim].every(
      (claim) => claimAt(payload, claim) !== undefined,
    );
    if (isComplete || client.serverMetadata().userinfo_endpoint === undefined) return payload;
    const more = await guarded(() =>
      openid.fetchUserInfo(client, accessToken, payload.sub ?? ''),
    ).catch((error: unknown) => {
      // The access token is new, so a refusal means that the provider has ended the session.
      const isRefused = error instanceof SignInError && error.code === 'provider-refused';
      throw isRefused ? new SignInError('expired', error.reason) : error;
    });
    return { ...more, ...payload };
  }

  return {
    async authorizationUrl({ codeVerifier, nonce, state }) {
      const { client } = await ready();
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
      const current = await ready();
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
      const idToken = answer.id_token ?? '';
      const payload = await verified(current, idToken);
      return {
        identity: {
          issuer: current.client.serverMetadata().issuer,
          subject: payload.sub ?? '',
          providerSession: textOf(payload.sid),
          claims: await claimsOf(current, payload, answer.access_token),
        },
        tokens: { idToken, refreshToken: answer.refresh_token },
      };
    },

    async refresh(refreshToken, { subject, idToken }) {
      const current = await ready();
      const answer = await guarded(() => openid.refreshTokenGrant(current.client, refreshToken));
      const tokens = {
        idToken: answer.id_token ?? idToken,
        refreshToken: answer.refresh_token ?? refreshToken,
      };
      if (answer.id_token === undefined) return { claims: undefined, tokens };
      const payload = await verified(current, answer.id_token);
      if (payload.sub !== subject) throw new SignInError('answer-invalid', 'other-subject');
      return { claims: await claimsOf(current, payload, answer.access_token), tokens };
    },

    async logout(token) {
      const current = await ready();
      const payload = await verified(current, token, ['logout+jwt', 'jwt']);
      const { iat = 0, events, nonce, sub, sid } = payload;
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

    async endSessionUrl({ idToken }) {
      const { client } = await ready();
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined;
      return openid.buildEndSessionUrl(client, {
        id_token_hint: idToken,
        post_logout_redirect_uri: new URL(CONSOLE_PATH, settings.url).href,
      });
    },

    async report() {
      const { client, findKey } = await ready();
      const server = client.serverMetadata();
      // A key of no provider: the keys are read, and it is not among them.
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

/** Sends a request, and reads an answer of limited size before the timeout. */
const boundedFetch: openid.CustomFetch = async (url, { body, headers, method, signal }) => {
  let response: Response;
  const chunks: Uint8Array[] = [];
  try {
    const given = body instanceof URLSearchParams ? body.toString() : body;
    response = await fetch(url, { body: given, headers, method, redirect: 'manual', signal });
    let bytes = 0;
    const read: AsyncIterable<Uint8Array> | [] = response.body ?? [];
    for await (const chunk of read) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES)
        throw new SignInError('provider-unavailable', 'answer-too-large');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof SignInError) throw error;
    throw new SignInError('provider-unavailable', codeOf(error) ?? 'no-answer');
  }
  const { status } = response;
  const isEmpty = [101, 204, 205, 304].includes(status);
  return new Response(isEmpty ? null : Buffer.concat(chunks), {
    status,
    headers: response.headers,
  });
};

/** Returns the code of a network error: ECONNREFUSED, CERT_HAS_EXPIRED, … */
function codeOf(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current.name === 'TimeoutError') return 'timeout';
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return undefined;
}

/** Errors of the library that the provider or the network causes, not the answer's content. */
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
    return new SignInError(unavailable.has(code) ? 'provider-unavailable' : 'answer-invalid', code);
  }
  if (error instanceof errors.JOSEError) return new SignInError('answer-invalid', error.code);
  return error;
}

/** An OAuth error code has the letters of RFC 6749 5.2, so that no other text gets into a log. */
const refusal = (code: string) =>
  new SignInError(
    refusals.get(code) ?? 'provider-refused',
    /^[a-z_]{1,60}$/.test(code) ? code : 'refused',
  );
