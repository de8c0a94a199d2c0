// The script of the hosted page: it sends the outcome to the opener of the page, and prevents forms
// from being sent twice. Everything else works without it.

const page = document.body.dataset;
const outcome = page.outcome ? JSON.parse(page.outcome) : undefined;

/** The opener: the page around the frame, or the page that opened the window. */
const peer = window.parent !== window ? window.parent : window.opener;

function send(message) {
  // Sent only to the origin in the URL, which is the only one that may frame the page.
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

// The embedding page receives no key events of the frame, so it would miss the Escape that closes
// its dialog.
window.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || !peer || !page.session || outcome) return;
  // This Escape cancels the composition of an input method. Safari ends the composition first and
  // reports the key as 229.
  if (event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  void leave();
});

/** Cancels the application, and sends the outcome of the service's answer if there is one. */
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
    // A network failure or a hanging service must not hold up the shopper. The companion looks up
    // the outcome again.
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
  // A shopper who stops a page that does not load stays on this page, and may send the form again.
  window.navigation?.addEventListener('navigateerror', () => {
    sent = false;
    button.textContent = label;
    button.removeAttribute('aria-disabled');
  });
}

// A page restored from the back/forward cache is out of date.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

if (window.matchMedia('(min-width: 56rem)').matches) {
  for (const lines of document.querySelectorAll('[data-open-when-wide]')) lines.open = true;
}

document.querySelector('[data-focus]')?.focus();

if (page.expiresIn) {
  // Browsers count at most 2^31 milliseconds. One second later the session has certainly expired.
  const wait = Number(page.expiresIn) + 1000;
  if (wait < 2 ** 31) setTimeout(() => location.reload(), wait);
}

if (page.session) send({ type: 'ready' });

if (outcome) {
  send(outcome);
  const framed = peer !== null && peer === window.parent;
  const back = document.querySelector('[data-return-link], [data-tell]');
  if (framed) {
    // In a frame, the embedding page closes the frame; the shop must not open inside it.
    back?.removeAttribute('hidden');
    document.querySelector('[data-close-hint]')?.setAttribute('hidden', '');
    back?.addEventListener('click', (event) => {
      event.preventDefault();
      send(outcome);
    });
  } else if (back?.href && (outcome.type === 'confirmed' || outcome.reason === 'cancelled')) {
    // Long enough to read the confirmation; the link is for shoppers who do not want to wait. An
    // opener that listens closes the window earlier. For any other opener there is nothing to wait
    // for.
    const wait = peer ? 3000 : outcome.type === 'confirmed' ? 1500 : 0;
    setTimeout(() => location.replace(back.href), wait);
  }
}
