// The hosted page's own script: it tells whoever opened the page how it went, and keeps the forms
// from being sent twice. Everything else works without it.

const page = document.body.dataset;
const outcome = page.outcome ? JSON.parse(page.outcome) : undefined;

/** Who shows this page: the page around the frame, or the page that opened the window. */
const peer = window.parent !== window ? window.parent : window.opener;

function send(message) {
  // Exactly one origin hears it: the one the address named, which alone may frame the page.
  if (!peer || !page.origin) return;
  peer.postMessage(
    { protocol: 'financing-checkout', version: 1, session: page.session, ...message },
    page.origin,
  );
}

window.addEventListener('message', (event) => {
  if (!peer || event.source !== peer || event.origin !== page.origin) return;
  const { protocol, version, session, type } = event.data ?? {};
  if (protocol !== 'financing-checkout' || version !== 1 || session !== page.session) return;
  if (type === 'close') void leave();
});

// A key pressed in a frame is heard by the frame alone: the page around it cannot see the Escape
// that would close its dialog.
window.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || !peer || !page.session || outcome) return;
  // This one takes back what is being typed with an input method. Safari ends the composition first,
  // and has 229 for the key.
  if (event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  void leave();
});

/** The shopper wants to leave. What is told is what the service says came of it, where it says so. */
async function leave() {
  const body = new URLSearchParams({
    session: page.session,
    key: page.key,
    origin: page.origin,
  });
  let told = { type: 'ended', reason: 'cancelled' };
  try {
    const response = await fetch('/checkout/cancel', {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(3000),
    });
    told = (await response.json()).outcome;
  } catch {
    // No network, or a service that hangs, keeps nobody here. It is asked again by the companion.
  }
  send(told);
}

for (const form of document.querySelectorAll('form')) {
  const button = form.querySelector('button[type="submit"]');
  const label = button.textContent;
  let sent = false;
  form.addEventListener('submit', (event) => {
    if (sent) {
      event.preventDefault();
      return;
    }
    sent = true;
    if (form.dataset.busy) button.textContent = form.dataset.busy;
    button.setAttribute('aria-disabled', 'true');
  });
  // Who stops a page that does not come stays in this one, and may send it again.
  window.navigation?.addEventListener('navigateerror', () => {
    sent = false;
    button.textContent = label;
    button.removeAttribute('aria-disabled');
  });
}

// A page restored from the back/forward cache shows what was, not what is.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

if (window.matchMedia('(min-width: 56rem)').matches) {
  for (const lines of document.querySelectorAll('[data-open-when-wide]')) lines.open = true;
}

document.querySelector('[data-focus]')?.focus();

if (page.expiresIn) {
  // Browsers count at most 2^31 milliseconds. One second later it has surely run out.
  const wait = Number(page.expiresIn) + 1000;
  if (wait < 2 ** 31) setTimeout(() => location.reload(), wait);
}

if (page.session) send({ type: 'ready' });

if (outcome) {
  send(outcome);
  const framed = peer !== null && peer === window.parent;
  const back = document.querySelector('[data-return-link], [data-tell]');
  if (framed) {
    // The way back is the frame's own page closing it, not the shop inside the frame.
    back?.removeAttribute('hidden');
    document.querySelector('[data-close-hint]')?.setAttribute('hidden', '');
    back?.addEventListener('click', (event) => {
      event.preventDefault();
      send(outcome);
    });
  } else if (back?.href && (outcome.type === 'confirmed' || outcome.reason === 'cancelled')) {
    // Long enough to read that it worked; the link is there for who does not want to wait. A window
    // whose opener listens is closed by it before that. Any other opener is no reason to stay.
    const wait = peer ? 3000 : outcome.type === 'confirmed' ? 1500 : 0;
    setTimeout(() => location.replace(back.href), wait);
  }
}
