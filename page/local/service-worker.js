/** Keeps the files of the page: those that every game needs at once, the others when they are first asked for. */

const VERSION = '@version@'; // of all files
const FILES = ['@files@'];
const NAME = `big2 ${VERSION}`;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })))));
});

self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('big2 ') && name !== NAME;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

self.addEventListener('fetch', (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== 'GET' || !address.href.startsWith(self.registration.scope)) return;
  event.respondWith(answer(event.request, address));
});

async function answer(request, address) {
  const cache = await caches.open(NAME);
  const page = address.pathname === new URL(self.registration.scope).pathname; // with any query
  const found = await cache.match(page ? './' : request, { ignoreSearch: page });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) cache.put(request, response.clone());
  else if (response.status === 404) await caches.delete(NAME); // another version has come: reloaded, the page is of that
  return response;
}
