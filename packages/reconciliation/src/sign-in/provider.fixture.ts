// The certificate library needs this metadata API before it loads.
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { generateKeyPairSync, type KeyObject, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration, type JWK } from 'oidc-provider';
import { vi } from 'vitest';

/** A person at the provider. The ID is the subject. */
export interface TestPerson {
  name?: string;
  roles?: string[];
}

/** Answers a request in place of the provider. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface TestProvider {
  issuer: string;
  /** Keyed by subject. */
  people: Map<string, TestPerson>;
  /** The person who signs in next; undefined: they cancel. */
  next: string | undefined;
  /** @default answers nothing */
  fault: Fault;
  /** Whether the provider issues refresh tokens. @default true */
  issuesRefreshTokens: boolean;
  /** Paths of the requests so far. */
  requests: string[];
  /** Replaces the signing keys. */
  rotateKeys(): void;
  /** Signs a token as the provider does. */
  sign(claims: JWTPayload, typ?: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  /** Whether the client has no secret. @default false */
  isPublic?: boolean;
  /** Whether the ID token has all claims, without the userinfo endpoint. @default false */
  hasFullIdTokens?: boolean;
}

export const CLIENT_ID = 'reconciliation';
/** Button in the provider's sign-out form. */
const LEAVE = '<button type="submit" form="op.logoutForm" value="yes" name="logout">Leave</button>';
export const CLIENT_SECRET = 'planted-client-secret-0001';
const keys: KeyObject[] = [];

let identity: Promise<{ key: string; cert: string }> | undefined;

/** Returns the provider's key and certificate, and makes this process trust it. */
async function trustedIdentity(): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    notAfter: new Date(Date.now() + 86_400_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  const cert = certificate.toString('pem');
  setDefaultCACertificates([...getCACertificates(), cert]);
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: PemConverter.encode(der, 'PRIVATE KEY'), cert };
}

/** Returns a signing key. Keys are reused, because generating one takes long. */
function keyOf(index: number): KeyObject {
  keys[index] ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  return keys[index];
}

const jwkOf = (index: number): JWK => ({
  ...keyOf(index).export({ format: 'jwk' }),
  kty: 'RSA',
  kid: `key-${index}`,
  use: 'sig',
  alg: 'RS256',
});

/**
 * Starts an OpenID provider on this machine. People sign in and consent without a page.
 * @param consoleUrl public URL of the console
 */
export async function startProvider(
  consoleUrl: string,
  { hasFullIdTokens = false, isPublic = false }: ProviderOptions = {},
): Promise<TestProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  identity ??= trustedIdentity();
  const server = createServer(await identity, (request, response) => {
    tested.requests.push(new URL(request.url ?? '', 'https://provider').pathname);
    if (!tested.fault(request, response)) answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `https://127.0.0.1:${port}`;
  let rotation = 0;

  function answers(): typeof answer {
    const provider = quietly(() => new Provider(issuer, configurationOf([jwkOf(rotation)])));
    const callback = provider.callback();
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
      const { next } = tested;
      const result =
        next === undefined
          ? { error: 'access_denied', error_description: 'planted description' }
          : { login: { accountId: next } };
      void provider.interactionFinished(request, response, result);
    };
  }

  function configurationOf(signing: JWK[]): Configuration {
    return {
      clients: [
        {
          client_id: CLIENT_ID,
          redirect_uris: [new URL('/console/sign-in/callback', consoleUrl).href],
          post_logout_redirect_uris: [new URL('/console/', consoleUrl).href],
          backchannel_logout_uri: new URL('/console/sign-in/back-channel-logout', consoleUrl).href,
          backchannel_logout_session_required: true,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: CLIENT_SECRET }),
        },
      ],
      jwks: { keys: signing },
      cookies: { keys: ['provider-cookie-key'] },
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (c, form) => void (c.body = form + LEAVE),
        },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      claims: { openid: ['sub'], profile: ['name', 'realm_access'] },
      conformIdTokenClaims: !hasFullIdTokens,
      issueRefreshToken: () => tested.issuesRefreshTokens,
      rotateRefreshToken: true,
      findAccount: (_, subject) => {
        const person = tested.people.get(subject);
        if (person === undefined) return undefined;
        const { name, roles } = person;
        return {
          accountId: subject,
          claims: () => ({ sub: subject, name, realm_access: roles && { roles } }),
        };
      },
      async loadExistingGrant({ oidc }) {
        const known = oidc.session?.grantIdFor(CLIENT_ID);
        if (known !== undefined) return oidc.provider.Grant.find(known);
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId,
          accountId: oidc.session?.accountId,
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
      // The library's own protection refuses this machine's addresses.
      fetch: (url, { body, headers, method, redirect, signal } = {}) =>
        fetch(url, { body, headers, method, redirect, signal }),
      renderError: (c, { error }) => void (c.body = error),
      ttl: {
        AccessToken: 3_600,
        IdToken: 3_600,
        Session: 86_400,
        Grant: 86_400,
        RefreshToken: 86_400,
        Interaction: 600,
      },
    };
  }

  const sign = async (claims: JWTPayload, typ = 'JWT') => {
    const header = { alg: 'RS256', kid: `key-${rotation}`, typ };
    const own = { iss: issuer, aud: CLIENT_ID, iat: Math.floor(Date.now() / 1_000) };
    return new SignJWT({ ...own, ...claims }).setProtectedHeader(header).sign(keyOf(rotation));
  };

  const tested: TestProvider = {
    sign,
    issuer,
    people: new Map(),
    next: undefined,
    fault: () => false,
    issuesRefreshTokens: true,
    requests: [],
    rotateKeys() {
      rotation += 1;
      answer = answers();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  answer = answers();
  return tested;
}

/** Suppresses the provider's warning that it is not suitable for production. */
function quietly<Result>(work: () => Result): Result {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    return work();
  } finally {
    warn.mockRestore();
  }
}

/** Answers requests for these paths with JSON. */
export function answersAt(answers: Readonly<Record<string, object>>): Fault {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://provider');
    const answer = answers[pathname];
    if (answer === undefined) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    return true;
  };
}

/** Answers requests for a path. */
export function faultAt(
  path: string,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Fault {
  return (request, response) => {
    if (!request.url?.startsWith(path)) return false;
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    return true;
  };
}
