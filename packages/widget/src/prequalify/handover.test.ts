/* A checkout continues the application of a prequalification (published contract, section 8). */
import { describe, expect, it } from 'vitest';
import { COMPANION } from '../companion.fixture.ts';
import { recallApplication, rememberApplication } from '../companion/application.ts';
import { mount, open, outcome, say } from '../element.fixture.ts';
import { companion, present, useScriptedSdk } from '../sdk.fixture.ts';

useScriptedSdk();

const shop = { companion: COMPANION, environment: 'sandbox' } as const;
const soon = () => new Date(Date.now() + 60_000).toISOString();

describe('a checkout after a prequalification', () => {
  it('passes the application to the SDK along with its own session', async () => {
    rememberApplication(shop, 'application-1', soon());
    const { kind, options } = await present(await mount());
    expect(kind).toBe('checkout');
    expect(options).toMatchObject({
      applicationId: 'application-1',
      sessionToken: 'session-of-checkout-1',
    });
  });

  it('passes no application that is missing, has expired or belongs to another companion', async () => {
    rememberApplication({ ...shop, companion: 'https://other.example' }, 'application-1', soon());
    rememberApplication(shop, 'application-2', new Date(Date.now() - 1_000).toISOString());
    const { options } = await present(await mount());
    expect(options).toHaveProperty('applicationId', undefined);
  });

  it('forgets the application after the outcome', async () => {
    rememberApplication(shop, 'application-1', soon());
    const element = await mount();
    const { options } = await present(element);
    const ended = outcome(element);
    options.onConfirm('token-1');
    options.callback('token-1');
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(recallApplication(shop)).toBeUndefined();
  });

  it('keeps the application for a shopper who left and may start again', async () => {
    rememberApplication(shop, 'application-1', soon());
    const element = await mount();
    const { options } = await present(element);
    const ended = outcome(element);
    options.callback(null, {}, { code: 'BACK_TO_STORE' });
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    expect(recallApplication(shop)).toBe('application-1');
  });

  it('sends nothing about the application to the companion or a hosted page', async () => {
    rememberApplication(shop, 'application-1', soon());
    companion.sdk = undefined;
    const element = await mount();
    const { src } = await open(element);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    expect(src).not.toContain('application-1');
    expect(JSON.stringify(companion.sent.map(({ body }) => body))).not.toContain('application-1');
  });
});
