/**
 * Preloaded into a process (`--import connections.mjs?file=…` in NODE_OPTIONS, which its children
 * inherit): writes every host name it looks up and every address it connects to into that file, one
 * a line.
 */
import diagnostics from 'node:diagnostics_channel';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const file = new URL(import.meta.url).searchParams.get('file');
const note = (host) => {
  if (file && typeof host === 'string') appendFileSync(file, `${host}\n`);
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // `net.connect` hands over its arguments as one list.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null) {
    note(first.path === undefined ? (first.host ?? 'localhost') : undefined);
  } else if (typeof first === 'number' || /^\d+$/.test(first)) {
    note(typeof second === 'string' ? second : 'localhost');
  }
  return connect.apply(this, args);
};

for (const where of [dns, dns.promises]) {
  const { lookup } = where;
  where.lookup = (name, ...rest) => {
    note(name);
    return lookup.call(where, name, ...rest);
  };
}

// fetch has its own way to a socket, which tells here.
diagnostics.channel('undici:client:sendHeaders').subscribe(({ socket }) => {
  note(socket.remoteAddress);
});
diagnostics.channel('undici:request:create').subscribe(({ request }) => {
  note(new URL(request.origin).hostname);
});
