import { fail, NotCheckable, NotRun, pass, type Finding } from '../finding.ts';
import { rule, writing, type Rule } from '../rule.ts';
import {
  describe,
  fundingPath,
  fundingPaths,
  isOnThisMachine,
  isRefused,
  isSuccess,
  primePath,
  type Subject,
} from '../subject.ts';
import type { Exchange } from '../wire.ts';
import { primeRequest } from './endpoints.ts';

/** Specification 5: authentication. */
export const authenticationRules: readonly Rule[] = [
  rule('5.1', 'A request over plain HTTP fails (7 also)', plainHttpFails),
  rule('5.2', 'Only Authorization: Bearer with the private key is accepted', bearer),
  rule('5.3.missing', 'A missing key is answered 401', missingKey),
  rule('5.3.incorrect', 'An incorrect key is answered 401', incorrectKey),
  rule('5.3.outdated', 'An outdated key is answered 401', outdatedKey),
  rule('5.4', 'The public key differs, and authorizes no backend operation', twoKeys),
  {
    id: '5.public',
    title: "The public key authorizes the frontend SDK's calls",
    check: { cannot: 'The addresses of the frontend SDK are not specified.' },
  },
  rule('5.5', 'A key does not authenticate at another environment', ownEnvironment),
  rule('5.6', 'No answer contains the private key', keyStaysSecret),
  {
    id: '5.6.rotation',
    title: 'A compromised key is rotated at once',
    check: {
      cannot: 'It is a duty of the merchant; 5.3.outdated checks the result of a rotation.',
    },
  },
  writing('5.7', 'A JSON body is accepted only as Content-Type: application/json', jsonContentType),
];

/**
 * Specification 5.1, 7: the kind of failure is unspecified, so a closed connection and an error
 * status both conform; a success or a redirect does not. The check sends the private key in clear
 * text only to this machine. To another machine it sends no key, so a 401 proves nothing.
 */
async function plainHttpFails(subject: Subject): Promise<Finding> {
  const secure = new URL(subject.options.baseUrl);
  const local = isOnThisMachine(subject.options.baseUrl);
  const ports = [secure.port || '443', ...(subject.options.plainPort80 ? ['80'] : [])];
  const seen: string[] = [];
  for (const port of ports) {
    const plain = new URL(secure);
    plain.protocol = 'http:';
    plain.port = port;
    const base = plain.href.replace(/\/$/, '');
    const exchange = await subject.get(fundingPaths.report, local ? subject.bearer : null, base);
    const what = `Plain HTTP on port ${port} has ${describe(exchange)}`;
    if (exchange.answered && exchange.status < 400) return fail(`${what}.`);
    if (!local && isRefused(exchange)) {
      throw new NotCheckable(`${what}: no key was sent, because it would be readable.`);
    }
    seen.push(what);
  }
  return pass(`${seen.join('; ')}.`);
}

/** Specification 5.2. The check puts no key in a URL, because servers log URLs. */
async function bearer(subject: Subject): Promise<Finding> {
  const { privateKey } = subject.options;
  const right = await subject.get(fundingPaths.report);
  if (isRefused(right)) return fail(`With the private key: ${describe(right)}.`);
  if (!isSuccess(right)) throw new NotCheckable(`The report has ${describe(right)}: see 4.report.`);
  for (const [name, header] of [
    ['Basic and the key', `Basic ${privateKey}`],
    ['the key without a scheme', privateKey],
  ] as const) {
    const exchange = await subject.get(fundingPaths.report, header);
    if (isSuccess(exchange)) return fail(`With ${name}: ${describe(exchange)}.`);
  }
  return pass(`With Bearer ${describe(right)}; refused with Basic and without a scheme.`);
}

/** Specification 5.3, 7. */
async function missingKey(subject: Subject): Promise<Finding> {
  return allAre401(subject, [
    ['no Authorization header', null],
    ['Bearer and no key', 'Bearer '],
  ]);
}

/** Specification 5.3, 7: includes keys that are almost correct. */
async function incorrectKey(subject: Subject): Promise<Finding> {
  const { privateKey } = subject.options;
  const last = privateKey.at(-1) === '0' ? '1' : '0';
  return allAre401(subject, [
    ['a key of zeros', `Bearer ${'0'.repeat(privateKey.length)}`],
    ['another last character', `Bearer ${privateKey.slice(0, -1)}${last}`],
    ['the last character removed', `Bearer ${privateKey.slice(0, -1)}`],
    ['an additional character', `Bearer ${privateKey}0`],
  ]);
}

/** Specification 5.3, 7. Needs a rotated-out key. */
async function outdatedKey(subject: Subject): Promise<Finding> {
  const { oldKey } = subject.options;
  if (oldKey === undefined) throw new NotRun('Needs a rotated-out key: --old-key-file.');
  return allAre401(subject, [['the outdated key', `Bearer ${oldKey}`]]);
}

async function allAre401(
  subject: Subject,
  tries: readonly (readonly [string, string | null])[],
): Promise<Finding> {
  for (const [name, authorization] of tries) {
    const exchange = await subject.get(fundingPaths.report, authorization);
    if (!exchange.answered || exchange.status !== 401) {
      return fail(`With ${name}: ${describe(exchange)}.`);
    }
  }
  return pass(`401 with ${tries.map(([name]) => name).join(', ')}.`);
}

/** Specification 5.4 and its table: the public key is for the client side. */
async function twoKeys(subject: Subject): Promise<Finding> {
  const { publicKey, privateKey } = subject.options;
  if (publicKey === privateKey) return fail('Public and private key are the same.');
  const exchange = await subject.get(fundingPaths.report, `Bearer ${publicKey}`);
  const seen = `With the public key: ${describe(exchange)}.`;
  return isSuccess(exchange) ? fail(seen) : pass(seen);
}

/**
 * Specification 5.5: this environment's key at the base addresses of the others. The check sends a
 * production key only to production.
 */
async function ownEnvironment(subject: Subject): Promise<Finding> {
  const { otherBaseUrls, environment } = subject.options;
  if (otherBaseUrls.length === 0) {
    throw new NotRun("Needs another environment's base address: --other-base-url.");
  }
  if (environment === 'production') {
    throw new NotRun('A production key is only sent to production: use a key of UAT or Sandbox.');
  }
  await subject.needsAccess();
  const seen: string[] = [];
  for (const baseUrl of otherBaseUrls) {
    const exchange = await subject.get(fundingPaths.report, subject.bearer, baseUrl);
    if (isSuccess(exchange)) return fail(`At the other address: ${describe(exchange)}.`);
    if (!isRefused(exchange)) {
      throw new NotCheckable(`At the other address: ${describe(exchange)}; is there an API?`);
    }
    seen.push(describe(exchange));
  }
  return pass(`At the other address: ${seen.join(', ')}.`);
}

/**
 * Specification 5.6, for the service: no response contains the key, not even an error. The suite
 * cannot check the merchant's side.
 */
async function keyStaysSecret(subject: Subject): Promise<Finding> {
  const { privateKey } = subject.options;
  const exchanges: Exchange[] = [
    await subject.get(fundingPath(subject.options, 'report', true)),
    await subject.get(fundingPaths.report, `Basic ${privateKey}`),
    await subject.get(`${fundingPaths.report}?showMissing=perhaps`),
    await subject.get('/v2/post-sale/conformance-nothing-here'),
    ...(await Promise.all(
      subject.options.otherBaseUrls
        .filter(() => subject.options.environment !== 'production')
        .map((baseUrl) => subject.get(fundingPaths.report, subject.bearer, baseUrl)),
    )),
  ];
  const answers = exchanges.filter((exchange) => exchange.answered);
  const leaking = answers.find((answer) => answer.showsKey);
  if (leaking) return fail(`An answer with status ${leaking.status} has the private key in it.`);
  if (answers.length === 0) throw new NotCheckable('Nothing was answered.');
  return pass(`In none of ${answers.length} answers, including refusals.`);
}

/** Specification 5.7. */
async function jsonContentType(subject: Subject): Promise<Finding> {
  for (const contentType of ['application/json', 'application/json; charset=utf-8']) {
    const exchange = await subject.post(primePath, primeRequest(subject, contentType));
    if (!isSuccess(exchange)) {
      if (contentType !== 'application/json') return fail(`With a charset: ${describe(exchange)}.`);
      throw new NotCheckable(`Prime has ${describe(exchange)}: see 4.prime.`);
    }
  }
  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', null]) {
    const exchange = await subject.post(primePath, { ...primeRequest(subject), contentType });
    if (isSuccess(exchange)) {
      return fail(
        `Sent ${contentType === null ? 'without a type' : `as ${contentType}`}: ${describe(exchange)}.`,
      );
    }
  }
  return pass('Accepted as application/json, refused as text, form or without a type.');
}
