import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { AnswerLog } from './answers.ts';
import { NotCheckable, NotRun, type Finding, type Verdict } from './finding.ts';
import { type Rule } from './rule.ts';
import { rules } from './rules/index.ts';
import { fundingPaths, isOnThisMachine, Subject } from './subject.ts';
import { createWire, type Wire, type WireOptions } from './wire.ts';

/** The service under test, and the options for testing it. */
export interface ConformanceOptions {
  /** `{base_url}` of the environment, HTTPS only. */
  baseUrl: string;
  environment: 'uat' | 'sandbox' | 'production';
  publicKey: string;
  privateKey: string;
  /** A rotated-out private key of the environment (specification 5.3). */
  oldKey?: string | undefined;
  /** Base URLs of other environments, where the key must not work (specification 5.5). */
  otherBaseUrls?: readonly string[] | undefined;
  /** PEM certificate of a CA to trust in addition to Node's. */
  ca?: string | undefined;
  /** Whether POST and PATCH requests may be sent; default false (read-only). */
  write?: boolean;
  /**
   * Confirmation tokens of small orders that a shopper confirmed, each for one charge. With `write`
   * the suite charges, settles and refunds the first, voids the second, voids the third by its
   * token and charges back the fourth; it charges the account of a line of credit twice, and
   * compares the total of every charge with the total of its order.
   */
  confirmationTokens?: readonly string[] | undefined;
  /** Returns the bodies of the notifications that the merchant's URL has received. */
  notifications?: (() => readonly unknown[]) | undefined;
  /** Returns the stand-in's browser script. The suite runs it in this process. */
  browserScript?: (() => Promise<string>) | undefined;
  /**
   * Verdict for an unpublished field, body or media type; default 'fail' for a URL on this machine,
   * 'note' for any other, because a real service may add them at any time.
   */
  unpublished?: 'fail' | 'note';
  /** Prime body, for a service that needs a different body than the documented session request. */
  primeBody?: object | undefined;
  /** Date range of the fundings to check, ISO 8601. */
  fromDate?: string | undefined;
  toDate?: string | undefined;
  /** Whether to try `http://` on port 80 in addition to the API's own port. */
  plainPort80?: boolean;
  /** Ids of the rules to run, or their prefixes: "5", "5.3". Default all. */
  only?: readonly string[] | undefined;
  /** Timeout for one request with its response, in milliseconds; default 30,000. */
  timeoutMs?: number | undefined;
}

/** The result of one rule. */
export interface ConformanceResult {
  /** Section and number in the specification: "4.1". */
  rule: string;
  title: string;
  verdict: Verdict;
  /** Evidence of the verdict, without keys or personal data. */
  seen: string;
}

export interface ConformanceReport {
  baseUrl: string;
  environment: string;
  results: readonly ConformanceResult[];
  /** The service's additions to the published contract, which are not failures. */
  notes: readonly string[];
  passed: number;
  failed: number;
  notCheckable: number;
  notRun: number;
}

/** The suite cannot start: an option is invalid, or the service does not respond. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

/**
 * Checks a service against every numbered rule of the specification over its API. Read-only unless
 * `write` is set.
 * @param wireOf creates the client; a test of the suite passes one without connections
 * @throws {ConformanceError} before a key is sent, if an option is invalid or the service is silent
 */
export async function runConformance(
  options: ConformanceOptions,
  wireOf: (options: WireOptions) => Wire = createWire,
): Promise<ConformanceReport> {
  const baseUrl = baseAddress(options.baseUrl);
  const otherBaseUrls = (options.otherBaseUrls ?? []).map(baseAddress);
  if (otherBaseUrls.includes(baseUrl)) {
    throw new ConformanceError('The other environment has the base address under test.');
  }
  for (const [name, key] of Object.entries({
    'public key': options.publicKey,
    'private key': options.privateKey,
    'old key': options.oldKey,
  })) {
    // Node would quote an invalid header value in its error.
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      throw new ConformanceError(`The ${name} is empty or has characters that no header may have.`);
    }
  }
  if (options.oldKey === options.privateKey) {
    throw new ConformanceError('The old key is the private key: it is not outdated.');
  }
  if (options.ca !== undefined) checkCertificate(options.ca);
  checkWindow(options);
  const chosen = rules.filter(({ id }) => isChosen(id, options.only));
  // A misspelled id would silently skip its rule.
  if (options.only?.some((wanted) => !rules.some(({ id }) => isChosen(id, [wanted])))) {
    throw new ConformanceError('There is no such rule.');
  }
  const confirmationTokens = options.confirmationTokens ?? [];
  if (confirmationTokens.length > 0 && options.environment === 'production') {
    throw new ConformanceError('A charge in production is real: omit --confirmation-token there.');
  }
  const secrets = [options.privateKey, ...(options.oldKey === undefined ? [] : [options.oldKey])];
  const wire = wireOf({ ca: options.ca, timeoutMs: options.timeoutMs ?? 30_000, secrets });
  const answers = new AnswerLog(
    [...secrets, options.publicKey],
    options.unpublished ?? (isOnThisMachine(baseUrl) ? 'fail' : 'note'),
  );
  const { primeBody } = options;
  const subject = new Subject(
    {
      baseUrl,
      environment: options.environment,
      publicKey: options.publicKey,
      privateKey: options.privateKey,
      oldKey: options.oldKey,
      otherBaseUrls,
      primeBody: (merchantOrderId) => JSON.stringify(primeBody ?? smallOrder(merchantOrderId)),
      window: { fromDate: options.fromDate, toDate: options.toDate },
      plainPort80: options.plainPort80 ?? false,
      mayWrite: options.write ?? false,
      confirmationTokens,
      notifications: options.notifications,
      browserScript: options.browserScript,
    },
    wire,
    answers,
  );
  const first = await subject.get(fundingPaths.report, null);
  if (!first.answered) throw unreachable(baseUrl, first.why);
  const results: ConformanceResult[] = [];
  for (const rule of chosen) {
    const finding = await judge(rule, subject, options.write ?? false);
    results.push({ rule: rule.id, title: rule.title, ...finding });
  }
  const count = (verdict: Verdict) => results.filter((one) => one.verdict === verdict).length;
  return {
    baseUrl,
    environment: options.environment,
    results,
    notes: answers.notes,
    passed: count('pass'),
    failed: count('fail'),
    notCheckable: count('not-checkable'),
    notRun: count('not-run'),
  };
}

async function judge(rule: Rule, subject: Subject, write: boolean): Promise<Finding> {
  if (typeof rule.check !== 'function')
    return { verdict: 'not-checkable', seen: rule.check.cannot };
  if (rule.writes && !write) {
    return { verdict: 'not-run', seen: 'Sends POST or PATCH requests: needs --write.' };
  }
  try {
    return await rule.check(subject);
  } catch (error) {
    if (error instanceof NotCheckable) return { verdict: 'not-checkable', seen: error.message };
    if (error instanceof NotRun) return { verdict: 'not-run', seen: error.message };
    throw error;
  }
}

function isChosen(id: string, only: readonly string[] | undefined): boolean {
  if (only === undefined || only.length === 0) return true;
  return only.some((wanted) => id === wanted || id.startsWith(`${wanted}.`));
}

/** @throws {ConformanceError} for a certificate that Node would silently ignore */
function checkCertificate(ca: string): void {
  try {
    new X509Certificate(ca);
  } catch {
    throw new ConformanceError('The CA is not a certificate in PEM.');
  }
}

const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/** @throws {ConformanceError} for a bound that is not an ISO 8601 date */
function checkWindow({ fromDate, toDate }: ConformanceOptions): void {
  for (const bound of [fromDate, toDate]) {
    if (bound !== undefined && !moment.safeParse(bound).success) {
      throw new ConformanceError('A funding date is an ISO 8601 date or date-time.');
    }
  }
}

function unreachable(baseUrl: string, why: string): ConformanceError {
  return new ConformanceError(
    /CERT|VERIFY|ISSUER|ALTNAME/.test(why)
      ? `The certificate of ${baseUrl} is not trusted (${why}): name its CA (--ca-file).`
      : `Nothing answers at ${baseUrl} (${why}): no rule was checked.`,
  );
}

/** Specification 5.1: HTTPS only. */
function baseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') {
    throw new ConformanceError(
      'A base address begins with https:// (every request is over HTTPS).',
    );
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new ConformanceError('A base address has no query, fragment, user or password.');
  }
  return url.href.replace(/\/+$/, '');
}

/** Returns a minimal order, without a consumer. Source: docs.chargeafter.com, session request. */
function smallOrder(merchantOrderId: string): object {
  return {
    cartDetails: {
      merchantOrderId,
      items: [{ name: 'Conformance check', price: 1, sku: 'CONFORMANCE', quantity: 1 }],
      taxAmount: 0,
      shippingAmount: 0,
      totalAmount: 1,
    },
    checkoutDetails: { currency: 'USD' },
  };
}
