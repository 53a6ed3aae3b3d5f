import "./style.css";

import { render } from "preact";
import { startKeys } from "./keys.tsx";
import { Layout } from "./layout.tsx";
import { startRouter } from "./router.ts";
import { keepToken } from "./token.ts";

keepToken();
startRouter();
startKeys();
const page = document.getElementById("page");
if (page) render(<Layout />, page);
