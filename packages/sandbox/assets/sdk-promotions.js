// The promotional widgets of the stand-in's browser script (published contract, browser SDK). It is
// a part of /sdk.js. It writes only text nodes, and no style attribute.

const WIDGETS = '.ca-promotional-widget';

/**
 * Creates `promotions` and the deprecated `promotionalWidget`.
 * @param request sends a request of the script: `(path, body)`
 * @param key returns the public key; undefined before `init`
 */
export function createPromotions(request, key) {
  /** Texts by widget. */
  const shown = new Map();
  let latest = 0;

  const widgets = () => [...document.querySelectorAll(WIDGETS)];
  const find = (sku) => widgets().find((widget) => widget.dataset.widgetItemSku === sku);

  /** Shows the lender's text in every widget of the page, with one request for all of them. */
  async function render() {
    const all = widgets();
    const apiKey = key();
    if (!apiKey || all.length === 0) return;
    const items = all.map(({ dataset }) => ({
      price: dataset.widgetItemPrice?.trim() ? Number(dataset.widgetItemPrice) : null,
      type: dataset.widgetType ?? '',
      profileId: dataset.widgetProfileId ?? '',
    }));
    const run = ++latest;
    const { texts = [] } = (await request('promotions', { key: apiKey, items })) ?? {};
    // The answer of an older request may arrive last.
    if (run !== latest) return;
    all.forEach((widget, index) => show(widget, texts[index] ?? null));
  }

  function show(widget, text) {
    if (shown.get(widget) === text && widget.hasChildNodes() === (text !== null)) return;
    shown.set(widget, text);
    if (text === null) return widget.replaceChildren();
    const line = document.createElement('span');
    line.className = 'ca-promotional-text';
    line.textContent = text;
    const more = document.createElement('button');
    more.type = 'button';
    more.className = 'ca-promotional-more';
    more.textContent = 'Learn more';
    more.addEventListener('click', () => present(widget.dataset.widgetItemSku));
    widget.replaceChildren(line, ' ', more);
  }

  /** Shows the text of an item in a dialog. */
  function present(sku) {
    const text = shown.get(find(sku));
    if (!text) return;
    const dialog = document.createElement('dialog');
    const line = document.createElement('p');
    const close = document.createElement('button');
    dialog.className = 'ca-promotional-dialog';
    dialog.setAttribute('aria-label', 'Financing');
    line.textContent = text;
    close.type = 'button';
    close.textContent = 'Close';
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    dialog.append(line, close);
    document.body.append(dialog);
    dialog.showModal();
  }

  /** Opens the page about financing that the mark-up of an item names. */
  function openLink(sku) {
    const address = find(sku)?.dataset.widgetFinancingPageUrl;
    if (!address || !/^https?:$/.test(new URL(address, location.href).protocol)) return;
    window.open(address, '_blank', 'noopener');
  }

  /** Takes the new prices of some items, and shows every widget again. */
  function update(items = []) {
    for (const { sku, price } of items) {
      for (const widget of widgets()) {
        if (widget.dataset.widgetItemSku === sku) widget.dataset.widgetItemPrice = String(price);
      }
    }
    return render();
  }

  return {
    render,
    promotions: { present, openLink, update },
    promotionalWidget: { present, update: ({ items } = {}) => update(items), rebuild: render },
  };
}
