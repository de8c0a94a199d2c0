import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clearFilters, navigate } from '../parts/navigation.ts';
import { commandsOf } from './search-items.ts';
import './console.ts';

const start = location.href;
let outcome: 'followed' | 'left' | undefined;
/** Name of the signed-in user. Without a session, the console shows the sign-in form. */
let person: string | undefined;

/** Records whether a click was handled, and prevents the browser from following it. */
function judge(event: MouseEvent): void {
  outcome = event.defaultPrevented ? 'followed' : 'left';
  event.preventDefault();
}

beforeEach(async () => {
  outcome = undefined;
  person = undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    const session = { name: person, scopes: [], environment: 'sandbox', zone: 'UTC' };
    if (person === undefined) {
      return Promise.resolve(Response.json({ code: 'token-invalid' }, { status: 401 }));
    }
    return Promise.resolve(
      address === '/console/session'
        ? Response.json(session)
        : Response.json({ code: 'not-found' }, { status: 404 }),
    );
  });
  addEventListener('click', judge);
  onTestFinished(() => removeEventListener('click', judge));
  document.body.append(document.createElement('financing-console'));
  await expect.poll(() => document.querySelector('console-sign-in')).not.toBeNull();
});

function click(attributes: Record<string, string>, more: MouseEventInit = {}): void {
  const link = document.createElement('a');
  for (const [name, value] of Object.entries(attributes)) link.setAttribute(name, value);
  const inner = document.createElement('span');
  link.append(inner);
  document.querySelector('financing-console')?.append(link);
  inner.dispatchEvent(
    new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, ...more }),
  );
}

it('follows a link to one of its pages without a page load', () => {
  click({ href: '/console/orders?headline=FUNDED' });
  expect(outcome).toBe('followed');
  expect(location.pathname + location.search).toBe('/console/orders?headline=FUNDED');
});

it('follows the link of a bar of a chart', () => {
  const ns = 'http://www.w3.org/2000/svg';
  const link = document.createElementNS(ns, 'a');
  link.setAttribute('href', '/console/orders?step=net');
  const bar = link.appendChild(document.createElementNS(ns, 'rect'));
  document.querySelector('financing-console')?.append(link);
  bar.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }));
  expect(outcome).toBe('followed');
  expect(location.search).toBe('?step=net');
});

it('follows a link inside the shadow root of a button', () => {
  const host = document.createElement('div');
  const link = document.createElement('a');
  link.href = '/console/cases';
  host.attachShadow({ mode: 'open' }).append(link);
  document.querySelector('financing-console')?.append(host);
  link.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }));
  expect(outcome).toBe('followed');
  expect(location.pathname).toBe('/console/cases');
});

it.each([
  ['with the control key', { href: '/console/orders' }, { ctrlKey: true }],
  ['with the command key', { href: '/console/orders' }, { metaKey: true }],
  ['with the shift key', { href: '/console/orders' }, { shiftKey: true }],
  ['by the middle button', { href: '/console/orders' }, { button: 1 }],
  ['into another window', { href: '/console/orders', target: '_blank' }, {}],
  ['of a download', { href: '/console/orders', download: '' }, {}],
  ['to another path of the server', { href: '/exports/orders' }, {}],
  ['to another origin', { href: 'https://example.com/console/orders' }, {}],
])('leaves a click %s to the browser', (_, attributes, more) => {
  click(attributes, more);
  expect(outcome).toBe('left');
  expect(location.href).toBe(start);
});

it('leaves a fragment link on the same page to the browser', () => {
  history.replaceState(null, '', '/console/help');
  click({ href: '/console/help#MISSING_AT_LENDER' });
  expect(outcome).toBe('left');
});

describe('the filters of the case queue', () => {
  const filtered = '/console/cases?code=AMOUNT_MISMATCH&sort=age';
  const link = () =>
    document.querySelector('#navigation a[href^="/console/cases"]')?.getAttribute('href');

  async function signIn(name: string): Promise<void> {
    person = name;
    const form = document.querySelector<HTMLFormElement>('console-sign-in form');
    const field = form?.querySelector('input');
    if (form === null || !field) throw new Error('The console shows no form.');
    field.value = 'token';
    form.requestSubmit();
    await expect.poll(link).toBeDefined();
  }

  it('are kept by the menu, until they are cleared', async () => {
    await signIn('anna');
    expect(link()).toBe('/console/cases');
    navigate(filtered);
    await expect.poll(link).toBe(filtered);
    navigate('/console/help');
    await expect.poll(() => document.querySelector('console-help')).not.toBeNull();
    click({ href: link() ?? '' });
    expect(location.pathname + location.search).toBe(filtered);
    clearFilters();
    await expect.poll(link).toBe('/console/cases');
  });

  it('are kept for the next sign-in of the same person in another window', async () => {
    await signIn('anna');
    navigate(filtered);
    await expect.poll(link).toBe(filtered);
    const open = async (name: string) => {
      document.querySelector('financing-console')?.remove();
      sessionStorage.clear();
      history.replaceState(null, '', '/console/help');
      person = undefined;
      document.body.append(document.createElement('financing-console'));
      await expect.poll(() => document.querySelector('console-sign-in form')).not.toBeNull();
      await signIn(name);
    };
    await open('ben');
    expect(link()).toBe('/console/cases');
    await open('anna');
    expect(link()).toBe(filtered);
    commandsOf('open cases', undefined)[0]?.items[0]?.run();
    expect(location.pathname + location.search).toBe(filtered);
  });
});
