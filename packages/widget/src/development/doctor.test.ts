/* The doctor (`debug`) reports mistakes in the setup, and never a key or a ticket. */
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { until } from '../clock.fixture.ts';
import { broken, FakeCompanion, problem, ticket } from '../companion.fixture.ts';
import { mount } from '../element.fixture.ts';
import '../message/define.ts';
import '../prequalify/define.ts';
import type { FinancingCheckout } from '../index.ts';
import { orderTicket } from './order-ticket.ts';
import { findingsOf } from './doctor.ts';

let companion: FakeCompanion;
let written: string[];

beforeEach(() => {
  companion = new FakeCompanion();
  companion.instead('find', () => problem('checkout-not-found'));
  written = [];
  for (const level of ['error', 'warn', 'info'] as const) {
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => {
      written.push(`${level} ${said.join(' ')}`);
    });
  }
  vi.spyOn(console, 'groupCollapsed').mockImplementation(() => undefined);
});

const of = async (element: FinancingCheckout, about: string) =>
  (await findingsOf(element)).find((finding) => finding.about === about);

describe('debug', () => {
  it('examines the page as soon as it is set, and reports a correct setup', async () => {
    const element = await mount({ order: orderTicket() });
    expect(companion.sent).toEqual([]);
    element.debug = true;
    await until(() => expect(written.length).toBeGreaterThan(4));
    expect(written.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
    expect(written.join('\n')).toMatch(/info companion: It answered in \d+ ms/);
    expect(written[0]).toMatch(/^info widget: version \d+\.\d+\.\d+$/);
    expect(written.join('\n')).toContain('connect-src https://companion.example');
    for (const secret of [element.publicKey, element.order]) {
      expect(written.join('\n')).not.toContain(secret);
    }
  });

  it('names the directive that the QR code needs, only if the page offers one', async () => {
    const element = await mount({ order: orderTicket() });
    expect((await of(element, 'policy'))?.advice).not.toContain('img-src');
    element.phone = true;
    companion.instead('find', () => problem('checkout-not-found'));
    expect((await of(element, 'policy'))?.advice).toContain('img-src data:');
  });

  it('reports violations of the page’s policy as they happen', async () => {
    const element = await mount({ order: 'A-1001' });
    element.debug = true;
    await until(() => expect(written.length).toBeGreaterThan(4));
    expect(written).toContainEqual(expect.stringMatching(/^warn order: /));
    const keepOut = (directive: string, blockedURI: string) =>
      document.dispatchEvent(
        new SecurityPolicyViolationEvent('securitypolicyviolation', {
          effectiveDirective: directive,
          violatedDirective: directive,
          blockedURI,
          documentURI: location.href,
          disposition: 'enforce',
          originalPolicy: '',
          statusCode: 200,
        }),
      );
    const before = written.length;
    keepOut('frame-src', 'https://lender.example/checkout?session=secret');
    expect(written.at(-1)).toMatch(/^warn .*frame-src https:\/\/lender\.example$/);
    keepOut('script-src', 'inline');
    expect(written.at(-1)).toMatch(/^warn .*script-src inline$/);
    // Each one is reported once, for any number of examined elements.
    expect(written).toHaveLength(before + 2);
  });
});

describe('the doctor finds', () => {
  it.each([
    ['private-key-exposed', () => problem('private-key-exposed'), /rotate it now/],
    ['public-key-invalid', () => problem('public-key-invalid'), /./],
    ['origin-not-allowed', () => problem('origin-not-allowed'), /./],
    ['version-unsupported', () => problem('version-unsupported'), /./],
    ['unreachable', broken.refused, /connect-src/],
    ['answer-invalid', broken.html, /is not a companion/],
  ] as const)('%s at the companion', async (code, answer, advice) => {
    companion = new FakeCompanion();
    companion.instead('find', answer);
    const finding = await of(await mount(), code);
    expect(finding?.verdict).toBe('wrong');
    expect(finding?.advice).toMatch(advice);
  });

  it('a server that refuses the origin of this page', async () => {
    const finding = await of(await mount({ companion: inject('hostedOrigin') }), 'unreachable');
    expect(finding?.verdict).toBe('wrong');
    expect(finding?.advice).toContain(`add ${location.origin} to its COMPANION_ALLOWED_ORIGINS`);
  });

  it('a server that accepts every request', async () => {
    companion = new FakeCompanion();
    expect(await of(await mount(), 'companion')).toMatchObject({ verdict: 'wrong' });
  });

  it.each([
    [{ totalAmount: 1299 }, 'look', '$12.99'],
    [{ totalAmount: 4_999 }, 'look', '$49.99'],
    [{ totalAmount: 5_000 }, 'good', '$50.00'],
    [{ totalAmount: 129_900 }, 'good', '$1,299.00'],
    [{ totalAmount: 1299.5 }, 'wrong', 'whole number of minor units'],
  ])('an order of %j', async (order, verdict, advice) => {
    const finding = await of(await mount({ order: orderTicket(order) }), 'order');
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.advice).toContain(advice);
  });

  it('a reference instead of a ticket', async () => {
    expect(await of(await mount({ order: 'A-1001' }), 'order')).toMatchObject({ verdict: 'look' });
  });

  it('clock skew, and an expired ticket', async () => {
    const order = orderTicket();
    vi.setSystemTime(Date.now() - 600_000);
    const early = await mount({ order });
    expect((await of(early, 'clock'))?.advice).toMatch(
      /signed (599|600) s in this machine’s future/,
    );
    companion.instead('find', () => problem('checkout-not-found'));
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await of(early, 'clock'))?.advice).toContain('expired');
    // A clock skew of one minute is tolerated, but not after the ticket's expiry.
    const at = Math.floor(Date.now() / 1000) * 1000;
    const other = await mount({ order: orderTicket() });
    for (const [passed, said] of [
      [-60_000, 'valid'],
      [-62_000, 'future'],
      [899_000, 'valid'],
      [901_000, 'expired'],
    ] as const) {
      vi.setSystemTime(at + passed);
      companion.instead('find', () => problem('checkout-not-found'));
      expect((await of(other, 'clock'))?.advice).toContain(said);
    }
  });

  it('mistakes in the attributes, before any request', async () => {
    const element = await mount({ environment: 'live' });
    expect(await of(element, 'environment-missing')).toMatchObject({ verdict: 'wrong' });
    expect(companion.sent).toEqual([]);
  });

  it('unknown attributes', async () => {
    const element = await mount();
    element.setAttribute('returnUrl', '/orders/7');
    expect(await of(element, 'returnurl')).toMatchObject({
      verdict: 'wrong',
      advice: 'The attribute is return-url.',
    });
    element.removeAttribute('public-key');
    element.setAttribute('publicKey', 'pk-test-1');
    expect(await of(element, 'public-key-missing')).toMatchObject({ verdict: 'wrong' });
    expect(await of(element, 'publickey')).toMatchObject({
      advice: 'The attribute is public-key.',
    });
  });

  it('an invalid currency', async () => {
    const element = await mount({
      order: ['', btoa('{"order":{"totalAmount":9900,"currency":"US$"}}'), ''].join('.'),
    });
    expect(await of(element, 'order')).toMatchObject({
      verdict: 'wrong',
      advice: 'currency must be an ISO 4217 code: USD.',
    });
  });

  it.each([
    ['zh-TW', '', 'info language: The texts are in zh-Hant-TW.'],
    ['de-AT', '', 'info language: The texts are in de-AT.'],
    ['sr-Latn', '', 'warn language: There are no texts for sr-Latn: the element is in English.'],
    ['', '', 'warn language: The page has no lang'],
    ['', 'ja', 'info language: The texts are in ja.'],
  ])('the language of a page in "%s", and of an element in "%s"', async (lang, locale, said) => {
    if (lang) document.documentElement.lang = lang;
    else document.documentElement.removeAttribute('lang');
    const element = await mount({ order: orderTicket(), locale });
    element.locale = locale;
    element.debug = true;
    await until(() => expect(written.join('\n')).toContain(said));
  });

  it('the amounts of the page’s messages and applications that show nothing', async () => {
    const element = await mount({ order: orderTicket() });
    for (const [tag, amount] of [
      ['financing-message', '$890.00'],
      ['financing-message', '19.99'],
      ['financing-message', '89000'],
      ['financing-prequalify', '129900.5'],
      ['financing-prequalify', ''],
    ] as const) {
      const other = document.createElement(tag);
      other.setAttribute('amount', amount);
      other.setAttribute('currency', 'USD');
      element.after(other);
    }
    element.debug = true;
    await until(() => expect(written.join('\n')).toContain('info language'));
    const listed = written.filter((line) => /^\w+ financing-/.test(line));
    expect(listed).toHaveLength(3);
    expect(listed.join('\n')).toMatch(/error financing-message: amount is "\$890.00".*89000/);
    expect(listed.join('\n')).toMatch(/error financing-message: amount is "19.99".*1999/);
    expect(listed.join('\n')).toMatch(/error financing-prequalify: amount is "129900.5"/);
  });

  it('a dialog of the shop that contains the element', async () => {
    const element = await mount();
    expect(await of(element, 'dialog')).toBeUndefined();
    const dialog = document.createElement('dialog');
    element.before(dialog);
    dialog.append(element);
    companion.instead('find', () => problem('checkout-not-found'));
    expect(await of(element, 'dialog')).toMatchObject({ verdict: 'look' });
  });

  it('a missing alternative payment method', async () => {
    const element = await mount();
    expect(await of(element, 'other-methods')).toBeUndefined();
    element.replaceChildren();
    companion.instead('find', () => problem('checkout-not-found'));
    expect(await of(element, 'other-methods')).toMatchObject({ verdict: 'look' });
  });

  it('production, and a scenario in production', async () => {
    const element = await mount({ environment: 'production', order: ticket() });
    expect(await of(element, 'environment')).toMatchObject({ verdict: 'look' });
    element.scenario = 'approved';
    expect(await of(element, 'scenario')).toMatchObject({ verdict: 'wrong' });
    element.environment = 'sandbox';
    expect(await of(element, 'scenario')).toMatchObject({ verdict: 'look' });
  });
});
