// Serves the page from its sources, and passes calls on to a running `leyden explore`.
//
// usage: node serve.mjs LINK [PORT]

import { createServer, request } from "node:http";
import { bundle } from "./bundle.mjs";

const [link, port = "8100"] = process.argv.slice(2);
if (link === undefined) throw new Error("usage: node serve.mjs LINK [PORT]; `leyden explore --no-open` prints the link");
const leyden = new URL(link);
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** The real server's headers, so that its policy holds here, too. */
const { headers: real } = await fetch(leyden.origin);

function pass(incoming, outgoing) {
  const headers = { ...incoming.headers, host: leyden.host };
  if (headers.origin !== undefined) headers.origin = leyden.origin;
  const { hostname, port } = leyden;
  const call = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode, reply.headers);
    reply.on("error", () => outgoing.destroy());
    reply.pipe(outgoing);
  });
  call.on("error", () => outgoing.destroy());
  outgoing.on("close", () => call.destroy());
  incoming.pipe(call);
}

let built = await bundle();

async function page(url, outgoing) {
  const name = url.split("?")[0].slice(1);
  if (!name.startsWith("assets/")) built = await bundle();
  const found = built.files.has(name) ? name : "index.html";
  const type = TYPES[found.split(".").pop()] ?? "text/plain";
  outgoing.writeHead(200, { "content-type": type, "content-security-policy": real.get("content-security-policy") ?? "" });
  outgoing.end(built.files.get(found));
}

const answer = (incoming, outgoing) => {
  if (incoming.url.startsWith("/api/")) return pass(incoming, outgoing);
  page(incoming.url, outgoing).catch((error) => {
    console.error(String(error));
    outgoing.writeHead(500).end(String(error));
  });
};
createServer(answer).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/${leyden.hash}`));
