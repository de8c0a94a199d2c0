// Stands in for the OpenID provider: its configuration, its keys, ID tokens for the codes of honest
// people, and a logout token. It uses the key of the service's stand-in.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { ready, setting } from '../server/contestant.ts';
import { KEY_ID, nonceOf, ROLE } from './person.ts';

const issuer = `https://localhost:${setting('BENCH_PORT')}`;
const key = createPrivateKey(readFileSync(setting('BENCH_UPSTREAM_KEY_FILE')));
const jwk = createPublicKey(key).export({ format: 'jwk' });
const alg = 'RS256';

const sign = (claims: Record<string, unknown>, typ: string) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg, kid: KEY_ID, typ })
    .setIssuer(issuer)
    .setAudience('reconciliation')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(key);

async function tokenFor(body: string): Promise<{ status: number; answer: object }> {
  const nonce = nonceOf(new URLSearchParams(body).get('code') ?? '');
  if (nonce === undefined) return { status: 400, answer: { error: 'invalid_grant' } };
  const claims = { nonce, sub: 'subject-ada', name: 'Ada Lovelace', roles: [ROLE] };
  const idToken = await sign(claims, 'JWT');
  const answer = { access_token: 'at', token_type: 'Bearer', id_token: idToken };
  return { status: 200, answer };
}

async function answer(path: string, body: string): Promise<{ status: number; answer: object }> {
  if (path === '/.well-known/openid-configuration') {
    return {
      status: 200,
      answer: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [alg],
      },
    };
  }
  if (path === '/jwks') {
    return { status: 200, answer: { keys: [{ ...jwk, alg, kid: KEY_ID, use: 'sig' }] } };
  }
  if (path === '/logout-token') {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const token = await sign({ sub: 'subject-of-no-session', events }, 'logout+jwt');
    return { status: 200, answer: { token } };
  }
  return path === '/token' ? tokenFor(body) : { status: 404, answer: {} };
}

createServer(
  {
    key: readFileSync(setting('BENCH_UPSTREAM_KEY_FILE')),
    cert: readFileSync(setting('BENCH_CA_FILE')),
    keepAlive: true,
  },
  (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.once('end', () => {
      void answer(request.url ?? '', body).then(({ status, answer: json }) => {
        const text = JSON.stringify(json);
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        };
        response.writeHead(status, headers).end(text);
      });
    });
  },
).listen(Number(setting('BENCH_PORT')), 'localhost', ready);
