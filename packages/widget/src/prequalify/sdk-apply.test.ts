/* The apply flow in the service's own SDK (published contract, section 8). */
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { until, whileTimePasses } from '../clock.fixture.ts';
import { broken } from '../companion.fixture.ts';
import type { FinancingApplicationEvent, FinancingErrorEvent } from '../index.ts';
import { button, find, heard, seen } from '../element.fixture.ts';
import { applied, FakePrequalifications, mount, outcome } from './prequalify.fixture.ts';
import type { FinancingPrequalify } from './index.ts';

let companion: FakePrequalifications;
let name: string;

/** Offers a script that no element has loaded. */
function offer(manners = ''): void {
  name = `Apply${Math.random().toString(36).slice(2)}`;
  const query = new URLSearchParams({ global: name, manners });
  companion.sdk = { src: `${inject('hostedOrigin')}/sdk.js?${query.toString()}`, global: name };
  companion.application = companion.opened('prq-1');
}

beforeEach(() => {
  companion = new FakePrequalifications();
  companion.modes = [];
  offer();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

async function apply(element: FinancingPrequalify, nth = 1) {
  button(element).click();
  const shown = await applied(name, nth);
  await until(() => expect(seen(element).title).toBe('Your application is open'));
  return shown;
}

const disposed = () =>
  (Reflect.get(globalThis, name) as { asked: { disposed: number } }).asked.disposed;

describe('an application in the SDK', () => {
  it('is presented as apply, with the session and without a cart', async () => {
    const element = await mount();
    const { kind, options } = await apply(element);
    expect(kind).toBe('apply');
    expect(options.sessionToken).toBe('session-of-prq-1');
    expect(Object.keys(options)).not.toContain('cartDetails');
    expect(find(element, 'dialog')).toHaveProperty('open', false);
  });

  it('ends with the companion’s outcome after the callback, which has no token', async () => {
    const element = await mount();
    const { options } = await apply(element);
    companion.becomes('prequalified', { amount: { value: 150_000, currency: 'USD' } });
    const ended = outcome(element);
    options.callback({ availableCredit: [{ lender: 'A lender', creditAmount: 9_999 }] });
    expect(await ended).toMatchObject({ status: 'prequalified', amount: { value: 150_000 } });
  });

  it('takes no amount and no token from the callback', async () => {
    const element = await mount();
    const { options } = await apply(element);
    companion.becomes('declined');
    const ended = outcome(element);
    options.callback({ token: 'token-1', availableCredit: [{ creditAmount: 9_999 }] });
    expect(await ended).toMatchObject({ status: 'declined', amount: undefined });
  });

  it.each([
    ['CONSUMER_CANCELLED', 'cancelled', 'Continue your application'],
    ['BACK_TO_STORE', 'cancelled', 'Continue your application'],
    ['CREATE_APPLICATION_FAILED', 'unavailable', 'Try again'],
    ['GENERAL', 'unavailable', 'Try again'],
    ['MERCHANT_CONTAINER_NOT_FOUND', 'failed', ''],
  ] as const)('that ends with %s is %s', async (code, status, action) => {
    const element = await mount();
    const { options } = await apply(element);
    const ended = outcome(element);
    options.callback(null, { code, message: 'secret' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await ended).toMatchObject({ status });
    await element.updateComplete;
    expect(seen(element).action).toBe(action);
  });

  it('that the shopper permanently abandoned at the service is dropped, and a new one can be started', async () => {
    const element = await mount();
    const { options } = await apply(element);
    companion.becomes('open', { presentation: undefined });
    const ended = outcome(element);
    options.callback(null, { code: 'CONSUMER_CANCELLED' });
    expect(await ended).toMatchObject({ status: 'cancelled' });
    await element.updateComplete;
    expect(seen(element).title).not.toBe('Your application ran out of time');
    const again = await apply(element, 2);
    expect(again.options.sessionToken).toBe('session-of-prq-2');
    expect(companion.count('open')).toBe(2);
  });

  it('reports the application without the shopper’s data', async () => {
    const element = await mount();
    const events: FinancingApplicationEvent[] = [];
    element.addEventListener('financing-application', (event) => events.push(event));
    const { options } = await apply(element);
    options.onApplicationCreated('application-1');
    options.onApprovalStatusChange('DECLINE', {
      lenderId: 'lender-1',
      consumerDetails: { firstName: 'Ada' },
    });
    expect(events).toMatchObject([
      { applicationId: 'application-1', status: undefined },
      { status: 'DECLINE', lenderId: 'lender-1' },
    ]);
    expect(JSON.stringify(events)).not.toContain('Ada');
  });

  it('whose callback never comes ends when the companion has decided, twice in a row', async () => {
    const element = await mount();
    await apply(element);
    const before = companion.count('find');
    const open = () => Response.json(companion.opened('prq-1'));
    const decided = () => Response.json({ ...companion.opened('prq-1'), status: 'prequalified' });
    companion.instead('find', open, decided, open, decided, decided);
    companion.becomes('prequalified');
    const ended = outcome(element);
    expect(await whileTimePasses(ended)).toMatchObject({ status: 'prequalified' });
    // Those five lookups, and the final lookup of the outcome.
    expect(companion.count('find')).toBe(before + 6);
  });

  it('whose callback never comes can be left, which closes the dialog', async () => {
    const element = await mount();
    await apply(element);
    const ended = outcome(element);
    find(element, '#start ~ [part=second-button]').click();
    expect(await ended).toMatchObject({ status: 'cancelled' });
    expect(disposed()).toBe(1);
  });

  it('continues on another page with the companion’s current token', async () => {
    const before = await mount();
    await apply(before);
    before.remove();
    const { presentation } = companion.application;
    companion.becomes('open', { presentation: { ...presentation, sessionToken: 'fresh' } });
    const element = await mount();
    const { options } = await apply(element, 2);
    expect(options.sessionToken).toBe('fresh');
    expect(companion.count('open')).toBe(1);
  });

  it.each(['init-rejects', 'no-payments'])(
    'that cannot be shown (%s) can be tried again',
    async (manners) => {
      offer(manners);
      const element = await mount();
      const codes: string[] = [];
      element.addEventListener('financing-error', ({ code }: FinancingErrorEvent) =>
        codes.push(code),
      );
      const ended = outcome(element);
      button(element).click();
      const coming = manners === 'no-payments' ? whileTimePasses(ended) : ended;
      expect(await coming).toMatchObject({ status: 'unavailable' });
      await element.updateComplete;
      expect(codes).toEqual([manners === 'init-rejects' ? 'sdk-unusable' : 'sdk-timeout']);
      expect(seen(element).action).toBe('Try again');
      expect(heard(element)).toContain('Nothing was decided');
    },
  );

  it('whose script is blocked uses the hosted page', async () => {
    companion.modes = ['embedded'];
    companion.sdk = { src: `${inject('hostedOrigin')}/nothing.js?global=x`, global: 'Nothing' };
    companion.application = companion.opened('prq-1');
    const element = await mount();
    button(element).click();
    await until(() => expect(heard(element)).toBe('Your application is ready.'));
  });

  it('ends unavailable when the companion is gone after the callback', async () => {
    const element = await mount();
    const { options } = await apply(element);
    companion.instead('find', ...Array.from({ length: 9 }, () => broken.refused));
    const ended = outcome(element);
    options.callback({});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await ended).toMatchObject({ status: 'unavailable' });
  });
});
