/** Between two looks, in milliseconds. */
const WAIT = 2_000;

/**
 * Keeps a page up to date while something is under way, and stays where the reader is: what changed
 * is put in its place, and neither focus nor scrolling is lost, as they would be by a reload. The
 * page says by `data-under-way` that it is not the last word, and by `data-live` which parts may
 * change.
 */
export function keepLive(main: HTMLElement): void {
  setTimeout(() => {
    void load().then((page) => {
      const news = page?.querySelector<HTMLElement>('main');
      // Offline, or the shop restarts: look again later.
      if (news) show(main, news);
      if (!news || news.querySelector('[data-under-way]')) keepLive(main);
    });
  }, WAIT);
}

/** Parsed by the browser: markup that a script parses is kept out by the page's Trusted Types. */
function load(): Promise<Document | undefined> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.href);
    request.responseType = 'document';
    request.onloadend = () =>
      resolve(request.status === 200 ? (request.responseXML ?? undefined) : undefined);
    request.send();
  });
}

function show(main: HTMLElement, news: HTMLElement): void {
  const [old, now] = [parts(main), parts(news)];
  if ([...old.keys()].join() !== [...now.keys()].join()) {
    main.replaceChildren(...news.childNodes);
    return;
  }
  for (const [name, part] of now) {
    const shown = old.get(name);
    if (shown?.isEqualNode(part) === false) shown.replaceChildren(...part.childNodes);
  }
}

function parts(main: HTMLElement): Map<string, HTMLElement> {
  const found = main.querySelectorAll<HTMLElement>('[data-live]');
  return new Map([...found].map((part) => [part.dataset.live ?? '', part]));
}
