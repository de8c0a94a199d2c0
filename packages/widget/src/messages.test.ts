/*
 * Architecture, "Frame messages": each side checks exact origin, event.source, protocol, version
 * and session, and ignores everything else. A forged confirmation must have no effect.
 */
import { nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeCompanion } from './companion.fixture.ts';
import { frame, isOpen, mount, open, outcome, say } from './element.fixture.ts';

const confirmed = {
  protocol: 'financing-checkout',
  version: 1,
  session: 'session-of-checkout-1',
  type: 'confirmed',
  confirmationToken: 'forged',
};
let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
});

/** Sends a valid message last: all earlier messages have been received, and ignored, by then. */
async function expectIgnored(forge: (frame: HTMLIFrameElement, origin: string) => void) {
  const element = await mount();
  const frame = await open(element);
  forge(frame, new URL(frame.src).origin);
  await nextFrame();
  expect(isOpen(element)).toBe(true);
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  expect(await ended).toMatchObject({ outcome: 'approved' });
  const bodies = companion.sent.filter(({ route }) => route === 'confirmation');
  expect(bodies.map(({ body }) => body)).toEqual([
    { confirmationToken: 'token-1', order: element.order },
  ]);
}

describe('a message', () => {
  it('of the right window, origin, protocol, version and session is accepted', async () => {
    const element = await mount();
    const frame = await open(element);
    const ended = outcome(element);
    const init = {
      data: confirmed,
      origin: new URL(frame.src).origin,
      source: frame.contentWindow,
    };
    dispatchEvent(new MessageEvent('message', init));
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

  it.each(['https://evil.example', 'null', '', location.origin])(
    'of the origin "%s" is ignored',
    (origin) =>
      expectIgnored((frame) => {
        const init = { data: confirmed, origin, source: frame.contentWindow };
        dispatchEvent(new MessageEvent('message', init));
      }),
  );

  it('of an origin that only starts with the right one is ignored', () =>
    expectIgnored((frame, origin) => {
      const init = { data: confirmed, origin: `${origin}0`, source: frame.contentWindow };
      dispatchEvent(new MessageEvent('message', init));
    }));

  it('that this page itself posts is ignored', () =>
    expectIgnored(() => postMessage(confirmed, '*')));

  it('of another window of the right origin is ignored', () =>
    expectIgnored((_, origin) => {
      for (const source of [window, null]) {
        dispatchEvent(new MessageEvent('message', { data: confirmed, origin, source }));
      }
    }));

  it.each([
    ['another session', { session: 'session-of-checkout-2' }],
    ['no session', { session: undefined }],
    ['another version', { version: 2 }],
    ['a version that only looks right', { version: '1' }],
    ['another protocol', { protocol: 'other' }],
    ['an unknown type', { type: 'approved' }],
    ['no token', { confirmationToken: '' }],
    ['a token that is none', { confirmationToken: { toString: 'x' } }],
    ['an unknown reason', { type: 'ended', reason: 'approved' }],
  ])('with %s is ignored', (_, over) =>
    expectIgnored((frame, origin) => {
      const init = { data: { ...confirmed, ...over }, origin, source: frame.contentWindow };
      dispatchEvent(new MessageEvent('message', init));
    }),
  );

  it.each([null, undefined, 'confirmed', 7, []])('%j is ignored', (data) =>
    expectIgnored((frame, origin) => {
      dispatchEvent(new MessageEvent('message', { data, origin, source: frame.contentWindow }));
    }),
  );
});

describe('the frame', () => {
  it('has a sandbox without top navigation, and receives only the origin as referrer', async () => {
    const element = await mount();
    await open(element);
    const held = frame(element);
    expect([...held.sandbox]).toEqual([
      'allow-scripts',
      'allow-forms',
      'allow-same-origin',
      'allow-popups',
      'allow-popups-to-escape-sandbox',
      'allow-downloads',
      'allow-modals',
      'allow-storage-access-by-user-activation',
    ]);
    expect(held.allow.split(';').map((right) => right.trim().split(' ')[0])).toEqual([
      'publickey-credentials-get',
      'publickey-credentials-create',
    ]);
    expect(held.referrerPolicy).toBe('strict-origin');
    expect(held.title).toBe('Pay over time');
    expect(element.shadowRoot?.activeElement).toBe(held);
  });
});
