/** Between two looks, in milliseconds: longer each time, while nothing changes. */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 15_000;

/**
 * Keeps a page up to date while something is under way, and stays where the reader is: what changed
 * is put in its place, and neither focus nor scrolling is lost, as they would be by a reload. The
 * page says by `data-under-way` that it is not the last word, and by `data-live` which parts may
 * change.
 */
export function keepLive(main: HTMLElement, wait = FIRST_WAIT): void {
  setTimeout(() => {
    void load().then((page) => {
      const news = page?.querySelector<HTMLElement>('main');
      // Without any the browser is offline, or the shop restarts: look again later.
      const changed = news ? show(main, news) : false;
      if (news && !news.querySelector('[data-under-way]')) return;
      keepLive(main, changed ? FIRST_WAIT : Math.min(wait * 1.4, LONGEST_WAIT));
    });
  }, wait);
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

/** @returns whether anything was another than it is now */
function show(main: HTMLElement, news: HTMLElement): boolean {
  const [old, now] = [parts(main), parts(news)];
  if ([...old.keys()].join() !== [...now.keys()].join()) {
    main.replaceChildren(...news.childNodes);
    return true;
  }
  const changed = [...now].filter(([name, part]) => old.get(name)?.isEqualNode(part) === false);
  for (const [name, part] of changed) old.get(name)?.replaceChildren(...part.childNodes);
  return changed.length > 0;
}

function parts(main: HTMLElement): Map<string, HTMLElement> {
  const found = main.querySelectorAll<HTMLElement>('[data-live]');
  return new Map([...found].map((part) => [part.dataset.live ?? '', part]));
}
