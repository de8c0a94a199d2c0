import type { SignInMethods } from '@financing-checkout/contract/reconciliation';
import { expect, it, vi } from 'vitest';
import type { Session } from '../api/session.ts';
import { setLanguage } from '../locale/locale.ts';
import './sign-in.ts';

const provider = { name: 'Example ID', startUrl: '/console/sign-in/start' };
const session: Session = {
  name: 'Ada Lovelace',
  scopes: ['cases'],
  environment: 'sandbox',
  zone: 'UTC',
  idleEndsAt: '2026-11-01T12:30:00.000Z',
  endsAt: '2026-11-02T00:00:00.000Z',
  canMoveMoney: false,
};

/** Shows the sign-in page at an address. @param methods undefined: they cannot be read */
async function show(
  methods: SignInMethods | undefined,
  { address = '/console/orders?headline=FUNDED#top', ended = false } = {},
) {
  let current: Session | undefined;
  history.replaceState(null, '', address);
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = typeof input === 'string' ? input : '';
    const body = url === '/console/sign-in' ? methods : current;
    return Promise.resolve(
      body === undefined
        ? Response.json({ code: 'token-invalid' }, { status: 401 })
        : Response.json(body),
    );
  });
  const element = Object.assign(document.createElement('console-sign-in'), { ended });
  document.body.append(element);
  await expect.poll(() => element.querySelector('wa-button')).not.toBeNull();
  return { element, signInElsewhere: () => (current = session) };
}

const linkOf = (element: HTMLElement) => element.querySelector('wa-button[href]');

it('offers the provider alone, and returns to the page', async () => {
  const { element } = await show({ token: false, provider });
  const link = linkOf(element);
  expect(link?.textContent).toBe('Sign in with Example ID');
  const url = new URL(link?.getAttribute('href') ?? '', location.href);
  expect(url.pathname).toBe('/console/sign-in/start');
  expect(url.searchParams.get('return')).toBe('/console/orders?headline=FUNDED#top');
  // Without the target, the router of the console would handle the link.
  expect(link?.getAttribute('target')).toBe('_self');
  expect(element.querySelector('input')).toBeNull();
});

it.each([
  ['without a provider', { token: true }],
  ['while the methods are unknown', undefined],
])('asks for a token %s', async (_, methods) => {
  const { element } = await show(methods);
  expect(linkOf(element)).toBeNull();
  expect(element.querySelector('input')).toBe(document.activeElement);
  expect(element.textContent).toContain('RECONCILIATION_TOKENS');
});

it('offers both', async () => {
  const { element } = await show({ token: true, provider });
  expect(linkOf(element)).not.toBeNull();
  expect(element.textContent).toContain('Or use an access token:');
  expect(element.querySelector('input')).not.toBeNull();
});

it.each([
  ['en', 'no-role', 'Your account has no role in this program.'],
  ['de', 'no-role', 'Ihr Konto hat in diesem Programm keine Rolle.'],
  ['en', 'constructor', 'The sign-in failed. Try again.'],
])(
  'says in %s why a sign-in failed with %s, and clears the address',
  async (language, reason, text) => {
    await setLanguage(language);
    const address = `/console/?sign-in=${reason}&request=req_1&keep=1`;
    const { element } = await show({ token: false, provider }, { address });
    const alert = element.querySelector('[role=alert]');
    expect(alert?.textContent).toContain(text);
    expect(alert?.textContent).toContain('req_1');
    expect(location.pathname + location.search).toBe('/console/?keep=1');
  },
);

it('says why the session has ended, if the program knows', async () => {
  const { element } = await show({ token: false, provider }, { ended: true });
  expect(element.querySelector('p[lang=en]')).toBeNull();
  const reason = 'The OpenID provider does not confirm your roles.';
  Object.assign(element, { reason });
  await expect.poll(() => element.querySelector('p[lang=en]')?.textContent).toBe(reason);
});

it('continues over the page after a sign-in in another tab', async () => {
  const { element, signInElsewhere } = await show({ token: false, provider }, { ended: true });
  expect(linkOf(element)?.getAttribute('target')).toBe('_blank');
  // The new tab shows the page with its filters, too.
  expect(linkOf(element)?.getAttribute('href')).toContain(encodeURIComponent('?headline=FUNDED'));
  const entered = vi.fn<(event: Event) => void>();
  element.addEventListener('signed-in', entered);
  dispatchEvent(new Event('focus'));
  expect(entered).not.toHaveBeenCalled();
  signInElsewhere();
  dispatchEvent(new Event('focus'));
  await expect.poll(() => entered.mock.calls.length).toBe(1);
  expect(entered.mock.calls[0]?.[0]).toMatchObject({ detail: { name: 'Ada Lovelace' } });
});
