// What ivrctl uses of undici, without its caches, mocks and web sockets: loaded in half the time. The
// package's own index starts them all.
import connect from "undici/lib/api/api-connect.js";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgent from "undici/lib/dispatcher/env-http-proxy-agent.js";

// As that index does with all of its methods; a proxy's tunnel is dug with this one.
Object.assign(Dispatcher.prototype, { connect });

export { Client, EnvHttpProxyAgent, buildConnector };
